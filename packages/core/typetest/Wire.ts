/**
 * What the type tests have in common: how to look at the types of an endpoint, and the types that stand for a word of the
 * table of operations.
 */
import type { Endpoint, Job, LiveEndpoint } from "@sluice/core"
import type * as Stream from "effect/Stream"

/** The record of a stream. */
export type Row<S> = S extends Stream.Stream<infer A, infer _E, infer _R> ? A : never

/** The parameters of an endpoint. */
export type ParamsOf<E> =
  E extends Endpoint.Endpoint<infer P, infer _A>
    ? P
    : E extends Endpoint.Single<infer P, infer _B>
      ? P
      : E extends LiveEndpoint.LiveEndpoint<infer P, infer _C>
        ? P
        : E extends Job.Job<infer P, infer _D>
          ? P
          : never

/** The record of an endpoint. */
export type RecordOf<E> =
  E extends Endpoint.Endpoint<infer _P, infer A>
    ? A
    : E extends Endpoint.Single<infer _Q, infer A>
      ? A
      : E extends LiveEndpoint.LiveEndpoint<infer _R, infer A>
        ? A
        : E extends Job.Job<infer _S, infer A>
          ? A
          : never

/** The record of a live stream. */
export type LiveRow<S> = S extends LiveEndpoint.Messages<infer A> ? A : never

/** What a function gives. */
export type Returned<F> = F extends () => infer A ? A : never

/** The endpoints among the exports of a section. */
export type Members<Section> = {
  readonly [K in keyof Section as Section[K] extends Endpoint.Info | LiveEndpoint.Info ? K : never]: Section[K]
}

/** The words of an open enumeration that an editor offers. */
export type Offered<Word> = Word extends string ? (string extends Word ? never : Word) : never

/** An intersection as one object. */
export type Flat<A> = { [K in keyof A]: A[K] }

/** A word of those known, or any other. */
export type Open<Word extends string> = Word | (string & {})

/** A list parameter: one item, a comma list, or several items. */
export type List = string | ReadonlyArray<string>

/** A list of names, or of constants that carry one. */
export type Names = string | { readonly id: string } | ReadonlyArray<string | { readonly id: string }>
