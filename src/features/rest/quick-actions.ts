/**
 * Text for GitLab that is only text.
 *
 * In a description or a comment GitLab obeys each line such as `/target_branch production`, with the rights
 * of the token. @see https://docs.gitlab.com/user/project/quick_actions/
 */

/** GitLab removes each `\r` before it looks for a line's first character. */
const LINE_WITH_SLASH = /(^|[\n\r\u2028\u2029\x85])(\s*)\//g

/**
 * The page shows `\/` as `/`. A line in a block of code gets the `\` too, and shows it: our own search for
 * such blocks could differ from GitLab's.
 */
export const withoutQuickActions = (text: string): string =>
  text.replace(LINE_WITH_SLASH, "$1$2\\/")
