/** A coppice.yml of a test, read for the home `app`. */
import { parseConfig } from "../../src/config/parse.ts"

type Env = Record<string, string>

/** The problems of the file, by path. */
export function problems(text: string, env: Env = {}) {
  const parsed = parseConfig(text, env, "app")
  if (parsed.kind === "ok") throw new Error("expected problems")
  return Object.fromEntries(parsed.problems.map(({ path, message }) => [path, message]))
}

/** The configuration of a file, whose version is added. */
export function config(text: string, env: Env = {}) {
  const parsed = parseConfig(`version: 1\n${text}`, env, "app")
  if (parsed.kind === "invalid") throw new Error(JSON.stringify(parsed.problems))
  return parsed.config
}
