/** Failures of reading objects. */
import { AppError } from "../../../base/errors.ts"
import { shellWord } from "../../../base/text/shell-word.ts"

/**
 * The repository lacks objects that a checkout needs. In a partial clone we do not fetch them on
 * the way.
 */
export class ObjectsMissingError extends AppError {
  constructor(repo: string, count: number) {
    const message = `the repository of ${repo} lacks ${count} of the objects that a checkout needs; in a partial clone, \`git -C ${shellWord(repo)} fetch --refetch --no-filter\` fetches them`
    super("git.objects_missing", "world", message, {
      hints: [`Otherwise, \`git -C ${shellWord(repo)} fsck\` says what is missing.`],
    })
  }
}
