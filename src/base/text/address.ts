/** Shows addresses without their logins, with a mark in the place of each. Pure. */

/** All before the last `@` of the part that names the host: a token may stand alone. */
const LOGIN = /^(https?:\/\/)[^/?#\\\s]*@/i
/** Elsewhere the name is no secret, and ssh could read an option in it. */
const PASSWORD = /^((?!https?:)[a-z][a-z0-9+.-]*:\/\/[^/?#\\\s:@]*:)[^/?#\\\s]*@/i
const WITHIN = /(?<![a-z0-9+.-])[a-z][a-z0-9+.-]*:\/\/\S+/gi

/** Returns `https://…@host/path`, for a person to approve; a text that is no address as it is. */
export const withoutLogin = (address: string): string =>
  address.replace(LOGIN, "$1…@").replace(PASSWORD, "$1…@")

/** The same for each address within a command, for a person to read. */
export const withoutLogins = (text: string): string => text.replace(WITHIN, withoutLogin)
