/** The page of the questions that `sluice doctor --service` asks. */
import * as Survey from "../../packages/cli/src/service/Survey.ts"
import { code, table } from "./Table.ts"

const list = (words: ReadonlyArray<string>) => words.map(code).join(", ")

export const print = (): string =>
  [
    "# Questions to the service",
    "What `sluice doctor --service` asks. The first answer is the usual one. [Check the service you talk to](service.md) says what " +
      "the answers mean. `pnpm reference` writes this page.",
    table(
      ["question", "asks", "answers", "contradicting answers"],
      Survey.questions.map(({ asks, contradictions, name, words }) => [
        code(name),
        asks,
        list(words),
        list(Object.keys(contradictions)) || "none"
      ])
    ),
    "## Not asked",
    table(
      ["question", "why"],
      Object.entries(Survey.unasked).map(([name, reason]) => [code(name), reason])
    )
  ].join("\n\n") + "\n"
