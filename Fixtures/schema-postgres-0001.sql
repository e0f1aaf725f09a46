CREATE TABLE project (
  project smallint PRIMARY KEY CHECK (project = 1),
  salt bigint NOT NULL,
  created_at bigint NOT NULL,
  is_distributed boolean NOT NULL DEFAULT false
);

CREATE TABLE catalog (
  kind smallint NOT NULL,
  code text COLLATE "C" NOT NULL,
  position bigint NOT NULL,
  document text NOT NULL,
  PRIMARY KEY (kind, code)
);

CREATE TABLE catalog_versions (
  version bigint PRIMARY KEY,
  applied_at bigint NOT NULL
);

CREATE TABLE environments (
  environment bigint PRIMARY KEY,
  kind smallint NOT NULL,
  session text COLLATE "C",
  UNIQUE (kind, session)
);

CREATE TABLE lanes (
  customer bigint PRIMARY KEY,
  lane smallint NOT NULL,
  layout bigint NOT NULL,
  last bigint NOT NULL,
  created_at bigint NOT NULL,
  transactions bigint NOT NULL,
  entries bigint NOT NULL,
  catalog_version bigint NOT NULL,
  sums bigint[]
) WITH (fillfactor = 20);

CREATE TABLE copy_progress (
  one smallint PRIMARY KEY CHECK (one = 1),
  step bigint NOT NULL,
  pages bigint NOT NULL,
  source bigint NOT NULL
);

CREATE TABLE commit_tokens (
  customer bigint NOT NULL,
  writer bytea NOT NULL,
  token bigint NOT NULL,
  committed_at bigint NOT NULL,
  PRIMARY KEY (customer, writer)
) WITH (fillfactor = 20);

CREATE TABLE customers (
  customer bigint PRIMARY KEY,
  id text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  frozen bigint NOT NULL DEFAULT 0,
  frozen_reason text,
  merged_into bigint NOT NULL DEFAULT 0,
  merged_count bigint NOT NULL DEFAULT 0,
  erased_by bigint NOT NULL DEFAULT 0
);

CREATE TABLE added_ids (
  customer bigint NOT NULL,
  id text COLLATE "C" NOT NULL,
  PRIMARY KEY (customer, id)
);

CREATE TABLE merged_customers (
  customer bigint NOT NULL,
  merged bigint NOT NULL,
  PRIMARY KEY (customer, merged)
);

CREATE TABLE transactions (
  customer bigint NOT NULL,
  number bigint NOT NULL,
  kind smallint NOT NULL,
  has_entries boolean NOT NULL,
  created_at bigint NOT NULL,
  digest bigint NOT NULL,
  erasable_digest bigint,
  PRIMARY KEY (customer, number)
);

CREATE INDEX transactions_of_lanes ON transactions ((number & 63), number);

CREATE INDEX transactions_without_entries ON transactions (customer, number) WHERE NOT has_entries;

CREATE TABLE entries (
  customer bigint NOT NULL,
  number bigint NOT NULL,
  currency smallint NOT NULL,
  kind smallint NOT NULL,
  amount bigint NOT NULL CHECK (amount <> 0),
  balance bigint NOT NULL CHECK (balance >= 0),
  debt bigint NOT NULL CHECK (debt >= 0),
  version bigint NOT NULL,
  previous bigint NOT NULL,
  lot bigint NOT NULL,
  PRIMARY KEY (customer, number)
);

CREATE TABLE allocations (
  customer bigint NOT NULL,
  entry bigint NOT NULL,
  position bigint NOT NULL,
  lot bigint NOT NULL,
  amount bigint NOT NULL CHECK (amount <> 0),
  PRIMARY KEY (customer, entry, position)
);

CREATE TABLE keys (
  customer bigint NOT NULL,
  key bytea NOT NULL,
  request_digest bigint NOT NULL,
  qualifier_digest bigint NOT NULL,
  transaction_number bigint,
  refusal text,
  PRIMARY KEY (customer, key)
);

CREATE TABLE notes (
  customer bigint NOT NULL,
  transaction_number bigint NOT NULL,
  reference text,
  reason text,
  actor text,
  PRIMARY KEY (customer, transaction_number)
);

CREATE TABLE item_entries (
  customer bigint NOT NULL,
  transaction_number bigint NOT NULL,
  item text COLLATE "C" NOT NULL,
  quantity bigint NOT NULL CHECK (quantity <> 0),
  owned bigint NOT NULL CHECK (owned >= 0),
  PRIMARY KEY (customer, transaction_number, item)
);

CREATE TABLE lot_attributes (
  customer bigint NOT NULL,
  lot bigint NOT NULL,
  source smallint NOT NULL,
  environment bigint NOT NULL,
  price bigint,
  price_currency text,
  purchase bigint,
  expires_at bigint NOT NULL,
  original_lot bigint NOT NULL,
  PRIMARY KEY (customer, lot)
);

CREATE INDEX lot_attributes_by_lot ON lot_attributes (lot);

CREATE TABLE merges (
  customer bigint NOT NULL,
  transaction_number bigint NOT NULL,
  from_customer bigint NOT NULL,
  PRIMARY KEY (customer, transaction_number)
);

CREATE TABLE frozen_products (frozen_product bigint PRIMARY KEY, document text NOT NULL);

CREATE TABLE purchases (
  customer bigint NOT NULL,
  purchase bigint NOT NULL,
  store smallint NOT NULL,
  environment bigint NOT NULL,
  store_transaction text COLLATE "C" NOT NULL,
  transaction_number bigint NOT NULL,
  product text COLLATE "C" NOT NULL,
  quantity bigint NOT NULL CHECK (quantity > 0),
  price bigint,
  price_currency text,
  purchased_at bigint NOT NULL,
  frozen_product bigint NOT NULL,
  original_transaction text COLLATE "C",
  expires_at bigint,
  grant_currency smallint,
  grant_lot bigint,
  grant_amount bigint,
  PRIMARY KEY (customer, purchase)
);

CREATE INDEX purchases_by_number ON purchases (purchase);

CREATE TABLE refunds (
  customer bigint NOT NULL,
  purchase bigint NOT NULL,
  transaction_number bigint NOT NULL,
  kind smallint NOT NULL,
  revoked_at bigint NOT NULL,
  signed_at bigint NOT NULL,
  share bigint NOT NULL,
  share_of bigint NOT NULL,
  freezes bigint NOT NULL,
  evidence_at bigint,
  extent_kind smallint,
  extent bigint,
  lot bigint,
  part_kind smallint,
  source_lot bigint,
  amount bigint,
  PRIMARY KEY (customer, purchase, transaction_number)
);

CREATE TABLE refund_parts (
  customer bigint NOT NULL,
  transaction_number bigint NOT NULL,
  position bigint NOT NULL,
  lot bigint NOT NULL,
  kind smallint NOT NULL,
  source_lot bigint NOT NULL,
  amount bigint NOT NULL CHECK (amount <> 0),
  PRIMARY KEY (customer, transaction_number, position)
);

CREATE TABLE journal_events (
  customer bigint NOT NULL,
  transaction_number bigint NOT NULL,
  position bigint NOT NULL,
  kind smallint NOT NULL,
  target bigint NOT NULL,
  currency smallint NOT NULL,
  lot bigint NOT NULL,
  amount bigint NOT NULL CHECK (amount >= 0),
  value bigint NOT NULL,
  counter_kind smallint NOT NULL,
  subject text COLLATE "C" NOT NULL,
  period bigint NOT NULL,
  created_at bigint NOT NULL,
  held_after bigint NOT NULL CHECK (held_after >= 0),
  PRIMARY KEY (customer, transaction_number, position)
);

CREATE INDEX journal_events_of_targets ON journal_events (customer, target, transaction_number, position)
  WHERE target <> 0;

CREATE TABLE accounts (
  customer bigint NOT NULL,
  currency smallint NOT NULL,
  balance bigint NOT NULL CHECK (balance >= 0),
  debt bigint NOT NULL CHECK (debt >= 0),
  held bigint NOT NULL CHECK (held >= 0),
  version bigint NOT NULL,
  last_entry bigint NOT NULL,
  pool_lot bigint NOT NULL,
  pool_source smallint NOT NULL,
  pool_environment bigint NOT NULL,
  pool_granted bigint NOT NULL,
  pool_remaining bigint NOT NULL CHECK (pool_remaining >= 0),
  open_lots bigint NOT NULL,
  next_expiry bigint NOT NULL,
  next_scheduled_at bigint NOT NULL,
  PRIMARY KEY (customer, currency)
) WITH (fillfactor = 75);

CREATE TABLE lots (
  customer bigint NOT NULL,
  lot bigint NOT NULL,
  currency smallint NOT NULL,
  source smallint NOT NULL,
  environment bigint NOT NULL,
  granted bigint NOT NULL,
  remaining bigint NOT NULL CHECK (remaining >= 0 AND remaining <= granted),
  price bigint,
  price_currency text,
  purchase bigint,
  expires_at bigint NOT NULL,
  PRIMARY KEY (customer, lot)
);

CREATE INDEX lots_open ON lots (customer, currency, (source = 1), expires_at, lot) WHERE remaining > 0;

CREATE INDEX lots_pooled ON lots (customer, currency, source, environment)
  WHERE purchase IS NULL AND expires_at = 9223372036854775807;

CREATE TABLE owned_items (
  customer bigint NOT NULL,
  item text COLLATE "C" NOT NULL,
  quantity bigint NOT NULL CHECK (quantity >= 0),
  PRIMARY KEY (customer, item)
);

CREATE TABLE checkpoints (
  customer bigint NOT NULL,
  currency smallint NOT NULL,
  version bigint NOT NULL,
  entry bigint NOT NULL,
  transaction_number bigint NOT NULL,
  created_at bigint NOT NULL,
  PRIMARY KEY (customer, currency, version)
);

CREATE TABLE open_holds (
  customer bigint NOT NULL,
  hold bigint NOT NULL,
  deadline bigint NOT NULL,
  begun_at bigint,
  currency smallint,
  lot bigint,
  amount bigint,
  PRIMARY KEY (customer, hold),
  CHECK ((currency IS NULL) = (lot IS NULL) AND (lot IS NULL) = (amount IS NULL))
);

CREATE TABLE counters (
  customer bigint NOT NULL,
  kind smallint NOT NULL,
  subject text COLLATE "C" NOT NULL,
  period bigint NOT NULL,
  value bigint NOT NULL,
  PRIMARY KEY (customer, kind, subject)
) WITH (fillfactor = 75);

CREATE TABLE orders (
  customer bigint NOT NULL,
  number bigint NOT NULL,
  code text COLLATE "C" NOT NULL,
  store smallint NOT NULL,
  product text COLLATE "C" NOT NULL,
  quantity bigint NOT NULL CHECK (quantity > 0),
  request text NOT NULL,
  key text COLLATE "C",
  state smallint NOT NULL CHECK (state BETWEEN 1 AND 4),
  purchase bigint,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  deadline bigint NOT NULL,
  due_at bigint NOT NULL,
  delivery_attempts bigint NOT NULL CHECK (delivery_attempts >= 0),
  PRIMARY KEY (customer, number),
  CHECK ((purchase IS NOT NULL) = (state IN (2, 4)))
);

CREATE UNIQUE INDEX orders_of_key ON orders (customer, key) WHERE key IS NOT NULL;

CREATE INDEX orders_of_purchase ON orders (purchase) WHERE purchase IS NOT NULL;

CREATE INDEX orders_due ON orders (state, due_at, number) WHERE state <> 2;

CREATE TABLE entitlements (
  customer bigint NOT NULL,
  purchase bigint NOT NULL,
  PRIMARY KEY (customer, purchase)
);

CREATE TABLE aliases (
  id text COLLATE "C" PRIMARY KEY,
  customer bigint NOT NULL
);

CREATE TABLE store_transactions (
  store_transaction text COLLATE "C" NOT NULL,
  environment bigint NOT NULL,
  store smallint NOT NULL,
  customer bigint NOT NULL,
  purchase bigint NOT NULL,
  PRIMARY KEY (store_transaction, environment, store)
);

CREATE TABLE refund_evidence (
  store_transaction text COLLATE "C" NOT NULL,
  environment bigint NOT NULL,
  store smallint NOT NULL,
  kind smallint NOT NULL,
  revoked_at bigint NOT NULL,
  signed_at bigint NOT NULL,
  extent_kind smallint NOT NULL,
  extent bigint NOT NULL,
  PRIMARY KEY (store_transaction, environment, store, kind, revoked_at)
);

CREATE TABLE purchase_codes (
  code text COLLATE "C" PRIMARY KEY,
  customer bigint NOT NULL,
  number bigint NOT NULL
);

CREATE TABLE account_tokens (
  high bigint NOT NULL,
  low bigint NOT NULL,
  customer bigint NOT NULL,
  PRIMARY KEY (high, low)
);

CREATE TABLE entitlement_holders (
  purchase bigint PRIMARY KEY,
  holder bigint NOT NULL
);

CREATE TABLE documents (
  name text COLLATE "C" PRIMARY KEY,
  version bigint NOT NULL CHECK (version > 0),
  content text NOT NULL
);

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION '% is append-only', TG_TABLE_NAME; END $$;

CREATE TRIGGER transactions_refuse_change BEFORE UPDATE OR DELETE ON transactions
  FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER transactions_refuse_truncation BEFORE TRUNCATE ON transactions
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER entries_refuse_change BEFORE UPDATE OR DELETE ON entries
  FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER entries_refuse_truncation BEFORE TRUNCATE ON entries
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER allocations_refuse_change BEFORE UPDATE OR DELETE ON allocations
  FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER allocations_refuse_truncation BEFORE TRUNCATE ON allocations
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER frozen_products_refuse_change BEFORE UPDATE OR DELETE ON frozen_products
  FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER frozen_products_refuse_truncation BEFORE TRUNCATE ON frozen_products
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER purchases_refuse_change BEFORE UPDATE OR DELETE ON purchases
  FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER purchases_refuse_truncation BEFORE TRUNCATE ON purchases
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER item_entries_refuse_change BEFORE UPDATE OR DELETE ON item_entries
  FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER item_entries_refuse_truncation BEFORE TRUNCATE ON item_entries
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER lot_attributes_refuse_change BEFORE UPDATE OR DELETE ON lot_attributes
  FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER lot_attributes_refuse_truncation BEFORE TRUNCATE ON lot_attributes
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER merges_refuse_change BEFORE UPDATE OR DELETE ON merges
  FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER merges_refuse_truncation BEFORE TRUNCATE ON merges
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER refunds_refuse_change BEFORE UPDATE OR DELETE ON refunds
  FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER refunds_refuse_truncation BEFORE TRUNCATE ON refunds
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER refund_parts_refuse_change BEFORE UPDATE OR DELETE ON refund_parts
  FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER refund_parts_refuse_truncation BEFORE TRUNCATE ON refund_parts
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER journal_events_refuse_change BEFORE UPDATE OR DELETE ON journal_events
  FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER journal_events_refuse_truncation BEFORE TRUNCATE ON journal_events
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER catalog_versions_refuse_change BEFORE UPDATE OR DELETE ON catalog_versions
  FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER catalog_versions_refuse_truncation BEFORE TRUNCATE ON catalog_versions
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER keys_refuse_change BEFORE UPDATE ON keys
  FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER keys_refuse_truncation BEFORE TRUNCATE ON keys
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
