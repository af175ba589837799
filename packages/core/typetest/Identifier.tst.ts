import { Identifier } from "@sluice/core"
import type * as Result from "effect/Result"
import { expectTypeOf } from "vitest"
import type { Offered } from "./Wire.ts"

// A constructor fails as a value, its unsafe twin throws.
type Built = Result.Result<Identifier.Identifier, Identifier.NotIdentifier>
expectTypeOf(Identifier.byName("btc")).toEqualTypeOf<Built>()
expectTypeOf(Identifier.bySymbol("talos", "BTC")).toEqualTypeOf<Built>()
expectTypeOf(Identifier.byId("talos", 24)).toEqualTypeOf<Built>()
expectTypeOf(Identifier.byNameUnsafe("btc")).toEqualTypeOf<Identifier.Identifier>()
expectTypeOf(Identifier.bySymbolUnsafe("talos", "coinbase", "BTC-USD")).toEqualTypeOf<Identifier.Identifier>()
expectTypeOf(Identifier.byIdUnsafe("talos", 1001, 24n)).toEqualTypeOf<Identifier.Identifier>()

// It is text, but text is not it until it was looked at.
expectTypeOf<Identifier.Identifier>().toExtend<string>()
expectTypeOf<string>().not.toExtend<Identifier.Identifier>()
declare const text: string
if (Identifier.isIdentifier(text)) expectTypeOf(text).toEqualTypeOf<Identifier.Identifier>()

// The namespace known today is offered, others are accepted.
expectTypeOf<Offered<Identifier.Namespace>>().toEqualTypeOf<"talos">()
expectTypeOf<string>().toExtend<Identifier.Namespace>()

// @ts-expect-error: a symbol is text
Identifier.bySymbol("talos", 24)
// @ts-expect-error: a number is no text
Identifier.byId("talos", "24")
// @ts-expect-error: a name of a provider has one part or two
Identifier.bySymbol("talos", "a", "b", "c")
// @ts-expect-error: a name of a provider has one part or two
Identifier.byId("talos")
