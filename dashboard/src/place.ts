/** Which home the page shows. Its address says so: `/homes/<id>/`, or `/` for the home of the daemon itself. */

/** The path before the routes of that home. */
export const BASE = /^\/homes\/[^/]+(?=\/$)/.exec(location.pathname)?.[0] ?? ""

/** The path of another home's page. */
export const pathOfHome = (id: string): string => `/homes/${encodeURIComponent(id)}/`
