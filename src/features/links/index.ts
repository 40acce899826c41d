/** Acts behind the addresses in notifications. */
import type { Feature } from "../../api/feature.ts"
import { actionPages } from "./action-page.ts"

export const links: Feature = {
  name: "links",
  uses: ["hooks"],
  serve: (server, { fleet }) => actionPages(server, fleet),
}
