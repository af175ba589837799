/**
 * What to do about a failure: its category, and a suggested fix. A table has the advice of a family of failures, by their tags.
 */
import * as Listings from "../endpoints/Listings.ts"
import type * as Target from "../settings/Target.ts"
import * as Variables from "../settings/Variables.ts"
import type { Kind } from "./ExitCode.ts"

export interface Advice<E> {
  readonly kind: Kind
  /** A sentence; nothing where the message says it all. */
  readonly next?: string | ((error: E, target: Target.Known) => string | undefined)
}

export type Table<E extends { readonly _tag: string }> = {
  readonly [Tag in E["_tag"]]: Advice<Extract<E, { readonly _tag: Tag }>>
}

/** Names what reads without the service, where a command does. */
export const offline = ({ mayBeOffline }: Target.Known): string =>
  mayBeOffline ? " With --offline the command gives what is held, or says what is not." : ""

/** Names the command that lists the parameters of an endpoint. */
export const describe = (endpoint: string) => `\`sluice describe ${endpoint.replace(/^\//, "")}\` lists its parameters.`

/** Names the command that lists what a parameter of an endpoint may name. */
export const listing = (endpoint: string, parameter: string): string => {
  if (endpoint === "/reference-data/markets" && parameter === "type")
    return "The types are spot, future, option and bond."
  const command = Listings.find(endpoint, parameter)
  return command === undefined ? describe(endpoint) : `\`sluice ${command}\` lists what there is.`
}

/** Where a setting can be changed. */
export const placesOf = (setting: string) => {
  const row = Variables.ofSetting(setting)
  return row === undefined
    ? "in the environment (SLUICE_…) or in the config file"
    : `${row.variable}, or ${row.key} in the config file`
}

/** What to do where the key of the config file was not sent: it is sent only to the root of the config file. */
export const withheld = ({ root = "paid" }: Target.Known, own: string) =>
  `The key of the config file belongs to ${own} and was not sent to ${root}; set SLUICE_API_KEY.`
