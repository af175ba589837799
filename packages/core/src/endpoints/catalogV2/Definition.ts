/** What the v2 catalogs have in common. Catalogs of one kind differ in their paths alone. */
import type * as Schema from "effect/Schema"
import * as Endpoint from "../../Endpoint.ts"

/** Builds the endpoints of one kind of catalog, for the path of each. */
export const catalog =
  <P extends object, A extends Encoded, Encoded>(
    params: Schema.Codec<P, P>,
    record: Schema.Codec<A, Encoded>,
    more: { readonly community?: boolean } = {}
  ) =>
  (path: string): Endpoint.Endpoint<P, A> =>
    Endpoint.make(path, { section: "4.9", params, record, ...more })

/** What the community root does not have. */
export const paid = { community: false } as const
