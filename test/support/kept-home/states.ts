/** Every task of the kept home, by its title: its state, and that of its landing. Both have every state there is. */

export type Kept = readonly [task: string, landing: string | null]

// biome-ignore format: a table reads best as one
export const KEPT: Readonly<Record<string, Kept>> = {
  // Tasks whose story is over.
  "landed":                  ["complete", "landed"],
  "taken back":              ["complete", "landed"],
  'Revert "taken back"':     ["complete", "landed"],
  "by a person":             ["complete", "landed"],
  "merged":                  ["complete", "landed"],
  "lower":                   ["complete", "landed"],
  "nothing to land":         ["complete", "landed"],
  "kept":                    ["complete", null],
  "cancelled":               ["cancelled", null],
  "withdrawn":               ["cancelled", "cancelled"],
  // Tasks that wait for a person.
  "stuck":                   ["stuck", null],
  "merge failed":            ["merge_failed", "failed"],
  "planned":                 ["planning_complete", null],
  "asking":                  ["working", null],
  "in approval":             ["in_approval", "in_review"],
  "half approved":           ["in_approval", "in_review"],
  "one of two":              ["in_approval", "in_review"],
  "paused":                  ["paused", null],
  "paused landing":          ["paused", "paused"],
  "in the way":              ["merging", "waiting"],
  // Tasks whose agents have begun a turn.
  "planning":                ["planning", null],
  "working":                 ["working", null],
  "handed back":             ["working", "handed_back"],
  "a tick":                  ["working", null],
  "Do one":                  ["working", null],
  "in a folder":             ["working", null],
  "a part":                  ["working", null],
  "Review of task 27: reviewed": ["working", null],
  // Tasks that wait for another one.
  "registered":              ["registered", null],
  "a lead":                  ["working", null],
  "reviewed":                ["merging", "in_review"],
  "queued":                  ["merging", "queued"],
  // Tasks whose landings were under way.
  "snapshotting":            ["merging", "snapshotting"],
  "preparing":               ["merging", "preparing"],
  "syncing":                 ["merging", "syncing"],
  "gating":                  ["merging", "gating"],
  "publishing":              ["merging", "publishing"],
  "half published":          ["merging", "publishing"],
  "cleaning":                ["merging", "cleaning"],
  // By a pull request.
  "shipping":                ["shipping", "shipping"],
  "proposed":                ["reviews_in_progress", "proposed"],
  "approved":                ["pr_ready", "proposed"],
  "upper":                   ["reviews_in_progress", "restacking"],
}
