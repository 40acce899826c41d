/** Shows an address without its login. Pure. */

/** All before the last `@` of the part that names the host. */
const LOGIN = /^([a-z][a-z0-9+.-]*:\/\/)[^/?#\\\s]*@/i

/** `https://…@host/path`; any other text, such as a command that only looks like an address, as it is. */
export const withoutLogin = (text: string): string =>
  URL.canParse(text) ? text.replace(LOGIN, "$1…@") : text
