/**
 * Comments where TypeDoc does not look for them: above a whole module, and above the schema that shares its name with an
 * interface.
 */
import { readFileSync } from "node:fs"
import {
  type Application,
  Comment,
  type Context,
  Converter,
  type DeclarationReflection,
  MinimalSourceFile,
  normalizePath,
  ReflectionKind
} from "typedoc"

/** Teaches TypeDoc both. */
export const install = (app: Application): void => {
  app.converter.on(Converter.EVENT_CREATE_DECLARATION, (context: Context, made: DeclarationReflection) => {
    if (made.comment !== undefined || !made.kindOf([ReflectionKind.Namespace, ReflectionKind.Module])) return
    const file = context.getSymbolFromReflection(made)?.declarations?.[0]?.getSourceFile().fileName
    const comment = file === undefined ? undefined : above(app, context, file)
    if (comment !== undefined) made.comment = comment
  })
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, (context: Context) => {
    for (const made of context.project.getReflectionsByKind(ReflectionKind.Interface)) {
      if (made.comment !== undefined || made.parent === undefined) continue
      const schema = context.project
        .getReflectionsByKind(ReflectionKind.Variable)
        .find(({ comment, name, parent }) => comment !== undefined && name === made.name && parent === made.parent)
      if (schema?.comment !== undefined) made.comment = schema.comment.clone()
    }
  })
}

/** The comment with which a file begins. */
const above = (app: Application, { project }: Context, file: string): Comment | undefined => {
  const text = /^\/\*\*\n([\s\S]*?)\*\//.exec(readFileSync(file, "utf8"))?.[1]
  if (text === undefined) return undefined
  const lines = text.replaceAll(/^ \*(?: |$)/gm, "")
  return new Comment(
    app.converter.parseRawComment(new MinimalSourceFile(lines, normalizePath(file)), project.files).content
  )
}
