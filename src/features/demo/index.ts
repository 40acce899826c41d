/** The demo, as the daemon sees it: a fleet at work, whose agents need no account. */
import type { Feature } from "../../api/feature.ts"
import { idInList } from "../homes/other-homes.ts"
import { beginDemo } from "./begin-demo.ts"

export const demo: Feature = {
  name: "demo",
  uses: ["homes", "trust"],
  routes: {
    demo: async ({ fleet }) => {
      const { home, loginLink } = await beginDemo(process.env)
      return { ...(await loginLink()), home: idInList(fleet, home) }
    },
  },
}
