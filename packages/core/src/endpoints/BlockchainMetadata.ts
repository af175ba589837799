/**
 * What is known of addresses and other entities of chains: tags, owners and locations. Source: docs/interface.md 4.12;
 * records in 3.17.
 *
 * Not offered at the community root, and only as pages, from the start.
 */
import * as Schema from "effect/Schema"
import * as Endpoint from "../Endpoint.ts"
import { id, text } from "../internal/wire/fields.ts"
import * as Params from "../Params.ts"

const onward = {
  /** Records per page, 1 to 10,000. By default Sluice requests the most. */
  page_size: Params.pageSize(10_000),
  /** A token of an earlier page, to begin there. */
  next_page_token: Params.paging.next_page_token,
  ...Params.pretty
}

/** A place that entities may belong to. Source: docs/interface.md 3.17. */
export const Location = Schema.Struct({
  /** Name of the place. */
  location: id
})
export interface Location extends Schema.Schema.Type<typeof Location> {}

/** Parameters of {@link locations} and {@link owners}. Source: docs/interface.md 4.12. */
export const ListParams = Schema.Struct({ ...onward })
export interface ListParams extends Schema.Schema.Type<typeof ListParams> {}

/** Lists the locations. Not offered at the community root. Source: docs/interface.md 4.12. */
export const locations: Endpoint.Endpoint<ListParams, Location> = Endpoint.make("/blockchain-metadata/locations", {
  section: "4.12",
  community: false,
  params: ListParams,
  record: Location
})

/** Who owns entities. Source: docs/interface.md 3.17. */
export const Owner = Schema.Struct({
  /** Name of the owner. */
  owner_name: id,
  /** Kind of the owner. */
  type: text
})
export interface Owner extends Schema.Schema.Type<typeof Owner> {}

/** Lists the owners. Not offered at the community root. Source: docs/interface.md 4.12. */
export const owners: Endpoint.Endpoint<ListParams, Owner> = Endpoint.make("/blockchain-metadata/owners", {
  section: "4.12",
  community: false,
  params: ListParams,
  record: Owner
})

/** What an entity may be tagged as. Source: docs/interface.md 3.17. */
export const Tag = Schema.Struct({
  /** The tag. */
  tag: id,
  /** Kind of the tag. */
  type: text,
  /** What the tag means. */
  description: text
})
export interface Tag extends Schema.Schema.Type<typeof Tag> {}

/** Parameters of {@link tags}. Source: docs/interface.md 4.12. */
export const TagsParams = Schema.Struct({
  /** Type of the tags. */
  type: Params.string,
  ...onward
})
export interface TagsParams extends Schema.Schema.Type<typeof TagsParams> {}

/** Lists the tags. Not offered at the community root. Source: docs/interface.md 4.12. */
export const tags: Endpoint.Endpoint<TagsParams, Tag> = Endpoint.make("/blockchain-metadata/tags", {
  section: "4.12",
  community: false,
  params: TagsParams,
  record: Tag
})

/** A tag of an entity, such as an address. Source: docs/interface.md 3.17. */
export const TaggedEntity = Schema.Struct({
  /** What is tagged, such as an address. */
  entity: id,
  /** The tag it has. */
  tag: id,
  /** Place that the entity belongs to. */
  location: text,
  /** Kind of the tag. */
  type: text,
  /** Kind of who set the tag. */
  tagger_type: text,
  /** How the tag was found. */
  tagger_method: text,
  /** Who owns the entity. */
  owner_name: text,
  /** Text without a published form. */
  start_time: text,
  /** Text without a published form. */
  end_time: text,
  /** Height of the first block for which the tag holds. Text without a published form. */
  start_block_height: text,
  /** Height of the last block for which the tag holds. Text without a published form. */
  end_block_height: text,
  /** Hash of the first block for which the tag holds. */
  start_block_hash: text,
  /** Hash of the last block for which the tag holds. */
  end_block_hash: text
})
export interface TaggedEntity extends Schema.Schema.Type<typeof TaggedEntity> {}

/** Parameters of {@link taggedEntities}. Source: docs/interface.md 4.12. */
export const TaggedEntitiesParams = Schema.Struct({
  /** One tag. */
  tags: Params.list,
  /** Entities, such as addresses. */
  entities: Params.entities(Params.list),
  /** One owner. */
  owner_names: Params.list,
  /** One location. */
  locations: Params.list,
  ...onward
}).check(Params.atMostOne("tags", "entities", "owner_names"))
export interface TaggedEntitiesParams extends Schema.Schema.Type<typeof TaggedEntitiesParams> {}

/** Lists the tags of entities. Not offered at the community root. Source: docs/interface.md 4.12. */
export const taggedEntities: Endpoint.Endpoint<TaggedEntitiesParams, TaggedEntity> = Endpoint.make(
  "/blockchain-metadata/tagged-entities",
  { section: "4.12", community: false, params: TaggedEntitiesParams, record: TaggedEntity }
)
