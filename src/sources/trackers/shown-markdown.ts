/** The part of a Markdown text that its page on GitHub, GitLab or Gitea shows. Pure. */

/** Without comments of HTML. One that has no end goes to the end, as on the page. */
export const shownMarkdown = (text: string): string => text.replace(/<!--[\s\S]*?(-->|$)/g, "")
