/** Commands, requests and notifications after events. */
import type { Feature } from "../../api/feature.ts"
import { driving } from "../../api/feature-host.ts"
import type { Fleet } from "../../api/fleet.ts"
import { beforeRun } from "./before-run.ts"
import { Hooks } from "./hooks.ts"
import { postPush, requireEndpoint } from "./push/endpoint.ts"
import { addPushSubscription, listPushSubscriptions, removePushSubscription } from "./push/rows.ts"
import { pushKeys } from "./push/send-push.ts"

export const hooks: Feature = {
  name: "hooks",
  uses: ["containment", "links"],
  routes: {
    push: ({ fleet }) => pushDocument(fleet),
    subscribe: ({ fleet, given }) => {
      requireEndpoint(given.endpoint)
      addPushSubscription(fleet.db, given)
      fleet.hooks.refresh()
      return pushDocument(fleet)
    },
    unsubscribe: ({ fleet, given }) => {
      removePushSubscription(fleet.db, given.endpoint)
      fleet.hooks.refresh()
      return pushDocument(fleet)
    },
  },
  create: ({ fleet, live, kernel, onError }) => {
    const { db, world, home, agents } = fleet
    const context = { db, world, home, owner: kernel.owner, rows: fleet }
    const address = () => agents.address
    const all = new Hooks({ ...context, live, address, post: postPush }, onError("hook"))
    return {
      ...driving(all),
      fleet: { hooks: all },
      beforeRun: (run) => beforeRun(context, run),
    }
  },
}

const pushDocument = ({ db }: Fleet) => ({
  key: pushKeys(db).publicKey,
  browsers: listPushSubscriptions(db).length,
})
