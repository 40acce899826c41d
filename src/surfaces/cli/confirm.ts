/** Asks a person on a terminal before a command goes on. */
import type { Option, Shell } from "./command.ts"

export const YES = {
  type: "boolean",
  short: "y",
  about: "Do not ask",
} as const satisfies Option

/** @returns true without a terminal too: a script has decided already. */
export async function confirm(
  { askLine }: Pick<Shell, "askLine">,
  question: string,
): Promise<boolean> {
  if (!askLine) return true
  return /^y(es)?$/i.test((await askLine(`${question} [y/N] `)).trim())
}
