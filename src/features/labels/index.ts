/** Labels of tasks: a person, or the configuration of an agent, adds them. The example of a feature. */
import { sectionOf } from "../../api/documents/feature-parts.ts"
import type { Feature } from "../../api/feature.ts"
import { acting } from "../../api/handler.ts"
import { changeLabels, giveLabels, listAllLabels, listLabels } from "./rows.ts"
import { listNeeds } from "./rules.ts"

export const labels: Feature = {
  name: "labels",
  routes: {
    label: acting(({ db }, { id }, change) => changeLabels(db, id, change, Date.now())),
  },
  section: sectionOf(listLabels, listAllLabels, (rows = []) => ({
    labels: rows.map(({ label }) => label),
  })),
  why: {
    wait: (db, { id }) => {
      const rows = listLabels(db, id)
      const needs = listNeeds(rows.map(({ label }) => label))
      if (needs.length === 0) return null
      const sinceMs = Math.min(
        ...rows.flatMap((row) => (needs.includes(row.label) ? row.sinceMs : [])),
      )
      const named = needs.map((label) => `\`${label}\``).join(", ")
      const unblock = `\`coppice label ${id} --remove ${needs[0]}\` takes the label away.`
      return { waitingFor: `the end of ${named}, its label`, unblock, sinceMs }
    },
  },
  create: ({ fleet: { db } }) => ({
    beforeRun: async ({ task, agent }) => {
      giveLabels(db, task.id, agent.labels, Date.now())
      return undefined
    },
  }),
}
