/** How a failure is told: a sentence, a suggested fix, and its category. `program/ShownFailure.ts` says how. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

export interface Explained {
  /** The category, which decides the exit code. */
  readonly kind: string
  /** Name of the error in a program. */
  readonly tag: string
  /** One sentence, without a full stop. */
  readonly message: string
  /** The suggested fix, a sentence. */
  readonly next: string | undefined
  /** Everything that is damaged, of which the message names the first few. */
  readonly damaged?: ReadonlyArray<string>
  /** Of several datasets those that failed, by their names. */
  readonly failed?: ReadonlyArray<Explained & { readonly name: string }>
}

export class Explain extends Context.Service<
  Explain,
  (failure: { readonly _tag: string; readonly message: string }) => Effect.Effect<Explained>
>()("@sluice/cli/Explain") {}
