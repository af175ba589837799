/** The `include` parameter at run time: it adds the provider's array to the schema of a record. */
import * as Schema from "effect/Schema"
import { maybe, struct } from "../../internal/wire/fields.ts"
import * as Params from "../../Params.ts"

/** The `include` parameter. */
export const include = { include: Params.included(Params.list) }

/** Builds the schema of a record with the provider arrays the call asks for. */
export const withIncluded =
  <Fields extends Schema.Struct.Fields>(fields: Fields, provider: Schema.Top) =>
  (params: { readonly include?: unknown }): Schema.Codec<unknown> =>
    struct({
      ...fields,
      ...Object.fromEntries(Params.items(params.include).map((name) => [name, maybe(Schema.Array(provider))]))
    })
