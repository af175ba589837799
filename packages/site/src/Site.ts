/**
 * The site by TypeDoc: guides as its project documents, the packages from their doc comments, and one search over both.
 */
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { basename, join, resolve } from "node:path"
import {
  Application,
  type CommentDisplayPart,
  Converter,
  type DeclarationReflection,
  type DocumentReflection,
  type ProjectReflection,
  type Reflection,
  ReflectionKind,
  Renderer,
  type TypeDocOptions
} from "typedoc"
import * as Comments from "./Comments.ts"
import * as Llms from "./Llms.ts"
import * as Pages from "./Pages.ts"
import * as Assets from "./search/Assets.ts"
import { published } from "./Sources.ts"

const packages = new Map<string, string>(published.map((name) => [`${name}/src`, `@sluice/${name}`]))

const options = (root: string, folder: string): Partial<TypeDocOptions> => {
  const site = resolve(root, "packages/site")
  return {
    name: "Sluice",
    tsconfig: resolve(site, "tsconfig.api.json"),
    basePath: resolve(root, "packages"),
    entryPoints: [...packages.keys()].map((folder) => resolve(root, "packages", folder, "index.ts")),
    readme: resolve(root, "README.md"),
    projectDocuments: [...Pages.paths(resolve(root, "docs"))],
    customCss: resolve(site, "style.css"),
    // `Assets` adds the search.
    customJs: resolve(site, "sections.js"),
    out: folder,
    cleanOutputDir: true,
    // The address of the repository is not known here, so nothing links to it.
    disableSources: true,
    disableGit: true,
    hideGenerator: true,
    includeHierarchySummary: false,
    excludeExternals: true,
    excludeInternal: true,
    excludePrivate: true,
    // The order of `Pages`, and of the source within a module.
    sort: ["kind", "source-order"],
    sortEntryPoints: false,
    categorizeByGroup: false,
    defaultCategory: Pages.apiSection,
    categoryOrder: [...Pages.titles],
    navigation: { includeCategories: true, includeGroups: false, includeFolders: false, compactFolders: false },
    useFirstParagraphOfCommentAsSummary: true,
    // `check` does, with the compiler of the repository.
    skipErrorChecking: true,
    highlightLanguages: "typescript javascript json bash sh toml sql css html python ini yaml".split(" "),
    validation: { invalidLink: true, invalidPath: true, notDocumented: true, notExported: false, rewrittenLink: true },
    packagesRequiringDocumentation: [...packages.values()],
    requiredToBeDocumented: ["Namespace", "Class", "Interface", "TypeAlias", "Function", "Variable", "Enum"]
  }
}

/** Builds the site. Gives a sentence for each thing that is wrong. */
export const build = async (root: string, folder: string): Promise<ReadonlyArray<string>> => {
  const app = await Application.bootstrap(options(root, folder))
  const problems: Array<string> = []
  app.logger.warn = (message: string) => void problems.push(message)
  app.logger.error = (message: string) => void problems.push(message)
  app.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_: unknown, document: DocumentReflection) => titled(document))
  app.converter.on(Converter.EVENT_CREATE_DECLARATION, (_: unknown, made: DeclarationReflection) => {
    if (made.kind === ReflectionKind.Module) made.name = packages.get(made.name) ?? made.name
  })
  Comments.install(app, resolve(root, "out/reference"))
  const project = await app.convert()
  if (project === undefined) return problems
  // The first page has the name of the project above it.
  const [first] = project.readme ?? []
  if (first !== undefined) first.text = first.text.replace(/^# .+\n+/, "")
  app.validate(project)
  // TypeDoc forgets where its pages are when it has written them.
  let urls = new Map<unknown, string>()
  app.renderer.on(Renderer.EVENT_END, () => {
    const { router } = app.renderer
    urls = new Map(router?.getLinkTargets().map((target) => [target, router.getFullUrl(target)]))
  })
  await app.generateDocs(project, folder)
  readable(folder)
  const urlOf = (target: Reflection) => urls.get(target)
  Llms.write(root, folder, await Assets.write(root, folder, urlsOf(project, urlOf), exportsOf(project, urlOf)))
  return problems
}

type UrlOf = (target: Reflection) => string | undefined

/** Where the pages are, by their titles. */
const urlsOf = (project: ProjectReflection, urlOf: UrlOf) => {
  const documents = project.getReflectionsByKind(ReflectionKind.Document)
  const urls = new Map(documents.map((document) => [document.name, urlOf(document)]))
  return (title: string) => (title === project.name ? "index.html" : urls.get(title))
}

const exportKinds =
  ReflectionKind.Class |
  ReflectionKind.Function |
  ReflectionKind.Interface |
  ReflectionKind.Module |
  ReflectionKind.Namespace |
  ReflectionKind.TypeAlias |
  ReflectionKind.Variable

/** What programs import, each name of a module once: a schema and its type share one. */
const exportsOf = (project: ProjectReflection, urlOf: UrlOf) => {
  const all = project.getReflectionsByKind(exportKinds).flatMap((made) => {
    const url = urlOf(made)
    const name = made.parent?.kindOf(ReflectionKind.Namespace) === true ? `${made.parent.name}.${made.name}` : made.name
    const text = made.comment?.summary.map((part) => part.text).join("") ?? ""
    return url === undefined ? [] : [[name, { name, url, text }] as const]
  })
  return [...new Map(all).values()]
}

/** The heading of a page becomes its title, and its section the category that the navigation shows. */
const titled = (document: DocumentReflection) => {
  const [heading = ""] = document.content
    .map(({ text }) => text)
    .join("")
    .split("\n", 1)
  if (!heading.startsWith("# ")) throw new Error(`${document.name}.md does not begin with a heading`)
  // The page of an operation stands below that of its section.
  if (document.parent?.isProject() !== false) document.frontmatter["category"] = Pages.sectionOf(document.name)
  document.name = Pages.shortTitles.get(basename(document.name, ".md")) ?? heading.slice(2).replaceAll("`", "")
  document.content = plainHeadings(document.content)
}

/** TypeDoc leaves code out of the anchor of a heading, so that `## \`get\`` has none: headings lose their code marks. */
const plainHeadings = (content: ReadonlyArray<CommentDisplayPart>): Array<CommentDisplayPart> =>
  content.map((part, index) => {
    const line = content[index - 1]?.text.split("\n").at(-1) ?? ""
    return part.kind === "code" && /^#+ /.test(line) ? { kind: "text", text: part.text.replaceAll("`", "") } : part
  })

/** Sources that pages link to are shown as text, which has no places to link to: a browser takes `.ts` for a video. */
const readable = (folder: string) => {
  const media = join(folder, "media")
  if (!existsSync(media)) return
  const sources = readdirSync(media).filter((file) => /\.(?:ts|md)$/.test(file))
  for (const file of sources) renameSync(join(media, file), join(media, `${file}.txt`))
  for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".html")) continue
    const text = readFileSync(join(folder, file), "utf8")
    const changed = text.replaceAll(/(href="[^"]*media\/[^"#]*\.(?:ts|md))(?:#[^"]*)?"/g, '$1.txt"')
    if (changed !== text) writeFileSync(join(folder, file), changed)
  }
}
