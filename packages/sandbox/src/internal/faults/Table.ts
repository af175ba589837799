/**
 * Every kind of fault as data: how it is written, and what it does to the reply.
 */
import { dataKinds } from "./DataKinds.ts"
import { common, type Draft, grammar, type Name } from "./Grammar.ts"
import { replyKinds } from "./ReplyKinds.ts"
import { wireKinds } from "./BodyKinds.ts"

export {
  common,
  type Draft,
  grammar,
  type Group,
  isName,
  type Name,
  type Named,
  names,
  requestHeader,
  type Value
} from "./Grammar.ts"

const drafts = { ...replyKinds, ...dataKinds, ...wireKinds }

/** The kinds of fault. */
export type Kind = keyof typeof drafts

/** One kind of fault. */
export interface Entry extends Draft {
  readonly kind: Kind
  /** How it is written, such as `status=N`. */
  readonly grammar: string
  readonly names: ReadonlyArray<Name>
}

const drafted: Readonly<Record<Kind, Draft>> = drafts

/** Every kind of fault. */
// Type boundary: Object.keys forgets the keys of the literal above.
export const kinds: ReadonlyArray<Kind> = Object.keys(drafts) as Array<Kind>

/** Every kind of fault, with its grammar and its effect. */
export const table: ReadonlyArray<Entry> = kinds.map((kind) => {
  const draft = drafted[kind]
  return { ...draft, kind, names: [...common, ...(draft.names ?? [])], grammar: grammar(kind, draft.value) }
})

const byKind = new Map<string, Entry>(table.map((entry) => [entry.kind, entry]))

/** Finds a kind by its name. */
export const find = (kind: string): Entry | undefined => byKind.get(kind)
