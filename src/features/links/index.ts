/** The action links of notifications: addresses by which a person acts once without a login. */
import type { Feature } from "../../api/feature.ts"
import { actionPages } from "./action-page.ts"

export const links: Feature = {
  name: "links",
  uses: ["hooks"],
  serve: (server, { fleet }) => actionPages(server, fleet),
}
