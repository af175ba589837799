/**
 * Whether the output can show more letters than those of ASCII.
 */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

const variables = Config.all(["LC_ALL", "LC_CTYPE", "LANG", "TERM"].map((name) => Config.option(Config.String(name))))

/** Terminals whose fonts have no dots of Braille. */
const poor = ["dumb", "linux", "vt100", "vt220"]

/** Tells it by the first variable that names a locale, as programs of a shell do. Where none does, terminals of today have UTF-8. */
export const hasUnicode: Effect.Effect<boolean> = Effect.map(Effect.orDie(variables), (found) => {
  const [all = "", ctype = "", lang = "", term = ""] = found.map((option) => Option.getOrElse(option, () => ""))
  const locale = [all, ctype, lang].find((text) => text !== "")
  return (locale === undefined || /utf-?8/i.test(locale)) && !poor.includes(term)
})
