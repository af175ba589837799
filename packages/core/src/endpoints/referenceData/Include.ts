/** `include=<namespace>`: the array an external provider adds to a record, under the provider's name. */
import type * as Endpoint from "../../Endpoint.ts"
import type * as Params from "../../Params.ts"

/** The provider arrays that were asked for. A record without a counterpart at the provider may lack the array. */
export type Included<Namespaces extends string, Provider> = string extends Namespaces
  ? {}
  : { readonly [Name in Params.Items<Namespaces>]?: ReadonlyArray<Provider> | null }

/** Parameters with the namespaces kept as literals, for the record type. */
export type Including<P, Namespaces extends string> = Omit<P, "include"> & {
  /** Namespaces whose metadata is added to each record; the service knows `talos`. */
  readonly include?: Params.List<Namespaces> | undefined
}

/** An endpoint whose record type grows by the provider array named in `include`. */
export interface IncludingEndpoint<P, A, Provider> extends Endpoint.Info {
  <const Namespaces extends string = never>(
    params?: Including<P, Namespaces>,
    options?: Endpoint.CallOptions
  ): Endpoint.Records<A & Included<Namespaces, Provider>>
  /** Reads the same records page by page. */
  readonly pages: <const Namespaces extends string = never>(
    params?: Omit<Including<P, Namespaces>, "format">,
    options?: Endpoint.CallOptions
  ) => Endpoint.Pages<A & Included<Namespaces, Provider>>
}
