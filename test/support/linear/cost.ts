/**
 * The cost of a query: a point for each object, a tenth for each of its values, and that of a list as
 * often as the page is long.
 *
 * @see https://linear.app/developers/rate-limiting#api-request-complexity-limits
 */
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isObjectType,
  Kind,
  type SelectionSetNode,
  type ValueNode,
} from "graphql"

const PAGE_SIZE = 50
const OBJECT = 1
const VALUE = 0.1

type Variables = Readonly<Record<string, unknown>>

export function costOf(
  schema: GraphQLSchema,
  { definitions }: DocumentNode,
  variables: Variables,
): number {
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const one of definitions)
    if (one.kind === Kind.FRAGMENT_DEFINITION) fragments.set(one.name.value, one)

  const costOfAll = ({ selections }: SelectionSetNode, typeName: string): number => {
    let cost = 0
    for (const one of selections) {
      if (one.kind === Kind.FRAGMENT_SPREAD) {
        const { selectionSet, typeCondition } = fragments.get(one.name.value)!
        cost += costOfAll(selectionSet, typeCondition.name.value)
      } else if (one.kind === Kind.INLINE_FRAGMENT) {
        cost += costOfAll(one.selectionSet, one.typeCondition?.name.value ?? typeName)
      } else if (one.selectionSet === undefined) {
        cost += VALUE
      } else {
        const inner = fieldTypeOf(schema, typeName, one.name.value)
        const first = one.arguments?.find(({ name }) => name.value === "first")?.value
        const times = inner.endsWith("Connection") ? numberOf(first, variables) : 1
        cost += OBJECT + times * costOfAll(one.selectionSet, inner)
      }
    }
    return cost
  }

  let cost = 0
  for (const one of definitions)
    if (one.kind === Kind.OPERATION_DEFINITION) {
      const root = one.operation === "query" ? "Query" : "Mutation"
      cost += costOfAll(one.selectionSet, root)
    }
  return cost
}

function fieldTypeOf(schema: GraphQLSchema, typeName: string, field: string): string {
  const type = schema.getType(typeName)
  const found = isObjectType(type) || isInterfaceType(type) ? type.getFields()[field] : undefined
  return found ? getNamedType(found.type).name : typeName
}

function numberOf(value: ValueNode | undefined, variables: Variables): number {
  if (value?.kind === Kind.INT) return Number(value.value)
  if (value?.kind === Kind.VARIABLE) return Number(variables[value.name.value] ?? PAGE_SIZE)
  return PAGE_SIZE
}
