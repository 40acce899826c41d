/** The reasons why a torture cannot begin. */
import { AppError } from "../src/base/errors.ts"

export class TortureError extends AppError {
  readonly code = "torture.no_repository"
  readonly blame = "user"
  override readonly hints = ["Name a repository with a branch checked out and a commit: --repo."]

  constructor(repo: string, said: string) {
    super(`${repo} cannot be cloned to be tortured: ${said.split("\n").at(-1) || "it is empty"}`)
  }
}
