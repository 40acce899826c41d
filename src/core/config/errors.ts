/** A coppice.yml that cannot be used. */
import { AppError } from "../errors.ts"
import type { Problem } from "./problems.ts"

export class ConfigError extends AppError {
  override readonly name = "ConfigError"
  readonly code = "config.invalid"
  readonly blame = "user"
  override readonly hints = ["`coppice config check` reads the file again without doing anything."]
  readonly problems: readonly Problem[]

  /** @param path of the file. */
  constructor(path: string, problems: readonly Problem[]) {
    const lines = problems.map(({ path: key, message }) => `  ${key ? `${key} ` : ""}${message}`)
    super([`${path} is not valid:`, ...lines].join("\n"))
    this.problems = problems
  }
}
