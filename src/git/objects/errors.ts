/** Failures of reading objects. */
import { AppError } from "../../core/errors.ts"
import { shellWord } from "../../core/shell-word.ts"

/** Objects that a checkout needs are not in the repository; a partial clone's are not fetched on the way. */
export class ObjectsMissingError extends AppError {
  override readonly name = "ObjectsMissingError"
  readonly code = "git.objects_missing"
  readonly blame = "world"
  override readonly hints: readonly string[]

  constructor(repo: string, count: number) {
    super(`${count} objects that the target needs are missing in the repository of ${repo}`)
    this.hints = [
      `Of a partial clone: \`git -C ${shellWord(repo)} fetch --refetch --no-filter\` fetches what is missing.`,
      `Else \`git -C ${shellWord(repo)} fsck\` says what is missing.`,
    ]
  }
}
