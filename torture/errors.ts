/** The reasons why a torture cannot begin. */
import { AppError } from "../src/base/errors.ts"

export class TortureError extends AppError {
  constructor(repo: string, said: string) {
    const why = said.split("\n").at(-1) || "it is empty"
    const hints = ["Name a repository with a branch checked out and a commit: --repo."]
    super("torture.no_repository", "user", `${repo} cannot be cloned to be tortured: ${why}`, {
      hints,
    })
  }
}
