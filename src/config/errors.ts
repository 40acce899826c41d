/** A coppice.yml that cannot be used. */
import { AppError } from "../base/errors.ts"
import type { Problem } from "./problems.ts"

export class ConfigError extends AppError {
  readonly problems: readonly Problem[]

  constructor(path: string, problems: readonly Problem[], options?: ErrorOptions) {
    const lines = problems.map(({ path: key, message }) => `  ${key ? `${key} ` : ""}${message}`)
    super("config.invalid", "user", [`${path} is not valid:`, ...lines].join("\n"), {
      hints: ["`coppice config check` reads the file again without doing anything."],
      ...options,
    })
    this.problems = problems
  }
}

/** A coppice.yml, or a git configuration, names programs that no person has approved. */
export class TrustNeededError extends AppError {
  /** @param what begins the sentence: the file or the repository, and why. */
  constructor(what: string) {
    super("trust.needed", "user", `${what}, and no person has approved that yet.`, {
      hints: [
        "`coppice trust` shows what would run and asks you; `coppice trust --yes` approves it as it is.",
      ],
    })
  }

  /** @param outer the home around it. */
  static ofFirst({ path, outer }: { path: string; outer?: string | undefined }): TrustNeededError {
    const inner = `${path} makes a home of its own inside that of ${outer}`
    return new TrustNeededError(
      outer === undefined ? `${path} names what Coppice would run, make or read` : inner,
    )
  }
}

/**
 * A program that coppice.yml does not name works with the first agent's settings, and its runtime
 * cannot keep one of them.
 */
export class UnkeptError extends AppError {
  constructor(agent: string, { key, why }: { readonly key: string; readonly why: string }) {
    super("config.unkept", "user", `${agent} cannot keep \`${key}\`: ${why}.`, {
      hints: [
        "It has the settings of the first agent. Configure it in coppice.yml under `agents`.",
      ],
    })
  }
}
