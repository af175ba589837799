/**
 * Comments where TypeDoc does not look for them: above a whole module, and above the schema that shares its name with an
 * interface. An endpoint also gets a link to its page, which TypeDoc cannot make.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import {
  type Application,
  Comment,
  type CommentDisplayPart,
  type Context,
  Converter,
  type DeclarationReflection,
  MinimalSourceFile,
  normalizePath,
  ReflectionKind
} from "typedoc"
import * as Sources from "./Sources.ts"

/** Teaches TypeDoc these, with the pages of operations in this folder. */
export const install = (app: Application, operations: string): void => {
  app.converter.on(Converter.EVENT_CREATE_DECLARATION, (context: Context, made: DeclarationReflection) => {
    const comment = made.comment ?? (made.kindOf(modules) ? aboveModule(app, context, made) : undefined)
    if (comment === undefined) return
    made.comment = comment
    const page = join(operations, `${made.parent?.name}.${made.name}.md`)
    if (!made.kindOf(ReflectionKind.Variable) || !existsSync(page)) return
    const link = `[Program, command line, parameters, fields and a record](./${made.parent?.name}.${made.name}.md)`
    comment.summary.push({ kind: "text", text: "\n\n" }, ...parsed(app, context, link, page))
  })
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }: Context) => {
    const schemas = project.getReflectionsByKind(ReflectionKind.Variable)
    for (const made of project.getReflectionsByKind(ReflectionKind.Interface)) {
      if (made.comment !== undefined) continue
      const { comment } = schemas.find(({ name, parent }) => name === made.name && parent === made.parent) ?? {}
      if (comment !== undefined) made.comment = comment.clone()
    }
  })
}

const modules = [ReflectionKind.Namespace, ReflectionKind.Module]

/** The comment with which the file of a module begins. */
const aboveModule = (app: Application, context: Context, made: DeclarationReflection): Comment | undefined => {
  const file = context.getSymbolFromReflection(made)?.declarations?.[0]?.getSourceFile().fileName
  if (file === undefined) return undefined
  const text = Sources.headOf(file)
  return text === undefined ? undefined : new Comment(parsed(app, context, text.replaceAll(/^ \*(?: |$)/gm, ""), file))
}

/** Markdown as if it stood in this file. */
const parsed = (app: Application, { project }: Context, text: string, file: string): Array<CommentDisplayPart> =>
  app.converter.parseRawComment(new MinimalSourceFile(text, normalizePath(file)), project.files).content
