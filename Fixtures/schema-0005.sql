CREATE TABLE "account_rows" (
  account INTEGER PRIMARY KEY,
  balance INTEGER NOT NULL CHECK (balance >= 0),
  debt INTEGER NOT NULL CHECK (debt >= 0),
  held INTEGER NOT NULL CHECK (held >= 0),
  version INTEGER NOT NULL,
  last_entry INTEGER NOT NULL,
  pool_lot INTEGER NOT NULL,
  pool_source INTEGER NOT NULL,
  pool_environment INTEGER NOT NULL,
  pool_granted INTEGER NOT NULL,
  pool_remaining INTEGER NOT NULL CHECK (pool_remaining >= 0),
  open_lots INTEGER NOT NULL,
  next_expiry INTEGER,
  next_scheduled_at INTEGER
) STRICT;

CREATE TABLE account_tokens (
  high INTEGER NOT NULL,
  low INTEGER NOT NULL,
  customer INTEGER NOT NULL,
  PRIMARY KEY (high, low)
) STRICT, WITHOUT ROWID;

CREATE VIEW accounts AS
  SELECT * FROM accounts_buffer
  UNION ALL
  SELECT * FROM account_rows a
  WHERE NOT EXISTS (SELECT 1 FROM accounts_buffer b WHERE b.account = a.account);

CREATE TABLE accounts_buffer (
  account INTEGER PRIMARY KEY,
  balance INTEGER NOT NULL CHECK (balance >= 0),
  debt INTEGER NOT NULL CHECK (debt >= 0),
  held INTEGER NOT NULL CHECK (held >= 0),
  version INTEGER NOT NULL,
  last_entry INTEGER NOT NULL,
  pool_lot INTEGER NOT NULL,
  pool_source INTEGER NOT NULL,
  pool_environment INTEGER NOT NULL,
  pool_granted INTEGER NOT NULL,
  pool_remaining INTEGER NOT NULL CHECK (pool_remaining >= 0),
  open_lots INTEGER NOT NULL,
  next_expiry INTEGER,
  next_scheduled_at INTEGER
) STRICT;

CREATE TABLE added_ids (
  customer INTEGER NOT NULL,
  id TEXT NOT NULL,
  PRIMARY KEY (customer, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE aliases (
  id TEXT PRIMARY KEY,
  customer INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE VIEW all_entries AS
  SELECT * FROM entry_rows
  UNION ALL
  SELECT (SELECT p.number - r.transaction_number + r.first_entry FROM entry_runs r
      WHERE r.transaction_number BETWEEN 1 AND p.number
        AND NOT EXISTS (SELECT 1 FROM transaction_rows t WHERE t.number = r.transaction_number)
      ORDER BY r.transaction_number DESC LIMIT 1), number, account, kind, amount, balance, 0, version, previous, lot
  FROM plain_transactions p;

CREATE VIEW all_transactions AS
  SELECT * FROM transaction_rows
  UNION ALL
  SELECT number, kind, account >> 10, created_at, (SELECT p.number - r.transaction_number + r.first_entry FROM entry_runs r
      WHERE r.transaction_number BETWEEN 1 AND p.number
        AND NOT EXISTS (SELECT 1 FROM transaction_rows t WHERE t.number = r.transaction_number)
      ORDER BY r.transaction_number DESC LIMIT 1), digest, erasable_digest
  FROM plain_transactions p;

CREATE TABLE allocations (
  entry INTEGER NOT NULL,
  position INTEGER NOT NULL,
  lot INTEGER NOT NULL,
  amount INTEGER NOT NULL CHECK (amount <> 0),
  PRIMARY KEY (entry, position)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER allocations_refuse_delete BEFORE DELETE ON allocations
  BEGIN SELECT RAISE(ABORT, 'allocations is append-only'); END;

CREATE TRIGGER allocations_refuse_update BEFORE UPDATE ON allocations
  BEGIN SELECT RAISE(ABORT, 'allocations is append-only'); END;

CREATE TABLE catalog (
  kind INTEGER NOT NULL,
  code TEXT NOT NULL,
  position INTEGER NOT NULL,
  document TEXT NOT NULL,
  PRIMARY KEY (kind, code)
) STRICT, WITHOUT ROWID;

CREATE TABLE catalog_versions (
  version INTEGER PRIMARY KEY,
  applied_at INTEGER NOT NULL
) STRICT;

CREATE TRIGGER catalog_versions_refuse_delete BEFORE DELETE ON catalog_versions
  BEGIN SELECT RAISE(ABORT, 'catalog_versions is append-only'); END;

CREATE TRIGGER catalog_versions_refuse_update BEFORE UPDATE ON catalog_versions
  BEGIN SELECT RAISE(ABORT, 'catalog_versions is append-only'); END;

CREATE TABLE checkpoints (
  account INTEGER NOT NULL,
  version INTEGER NOT NULL,
  entry INTEGER NOT NULL,
  transaction_number INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (account, version)
) STRICT, WITHOUT ROWID;

CREATE TABLE copied_journal (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  last_transaction INTEGER NOT NULL,
  transactions INTEGER NOT NULL,
  last_entry INTEGER NOT NULL,
  entries INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TRIGGER copied_journal_refuse_delete BEFORE DELETE ON copied_journal
  BEGIN SELECT RAISE(ABORT, 'copied_journal is append-only'); END;

CREATE TRIGGER copied_journal_refuse_update BEFORE UPDATE ON copied_journal
  BEGIN SELECT RAISE(ABORT, 'copied_journal is append-only'); END;

CREATE TABLE copy_progress (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  step INTEGER NOT NULL,
  pages INTEGER NOT NULL,
  source INTEGER NOT NULL
) STRICT;

CREATE TABLE counters (
  customer INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  subject TEXT NOT NULL,
  period INTEGER NOT NULL,
  value INTEGER NOT NULL,
  PRIMARY KEY (customer, kind, subject)
) STRICT, WITHOUT ROWID;

CREATE TABLE customer_lists (
  customer INTEGER NOT NULL,
  list INTEGER NOT NULL CHECK (list BETWEEN 1 AND 3),
  number INTEGER NOT NULL,
  PRIMARY KEY (customer, list, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE customer_lists_buffer (
  customer INTEGER NOT NULL,
  list INTEGER NOT NULL CHECK (list BETWEEN 1 AND 3),
  number INTEGER NOT NULL,
  PRIMARY KEY (customer, list, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE customers (
  customer INTEGER PRIMARY KEY,
  id TEXT,
  created_at INTEGER NOT NULL,
  frozen INTEGER NOT NULL DEFAULT 0,
  frozen_reason TEXT,
  merged_into INTEGER NOT NULL DEFAULT 0,
  merged_count INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX customers_merged ON customers (merged_into) WHERE merged_into <> 0;

CREATE TABLE documents (
  name TEXT PRIMARY KEY,
  version INTEGER NOT NULL CHECK (version > 0),
  content TEXT NOT NULL
) STRICT;

CREATE TABLE entitlements (
  purchase INTEGER PRIMARY KEY,
  holder INTEGER NOT NULL
) STRICT;

CREATE INDEX entitlements_of_holder ON entitlements (holder, purchase);

CREATE TRIGGER entries_refuse_delete BEFORE DELETE ON "entry_rows"
  BEGIN SELECT RAISE(ABORT, 'entries is append-only'); END;

CREATE TRIGGER entries_refuse_update BEFORE UPDATE ON "entry_rows"
  BEGIN SELECT RAISE(ABORT, 'entries is append-only'); END;

CREATE TABLE "entry_rows" (
  number INTEGER PRIMARY KEY,
  transaction_number INTEGER NOT NULL,
  account INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  amount INTEGER NOT NULL CHECK (amount <> 0),
  balance INTEGER NOT NULL CHECK (balance >= 0),
  debt INTEGER NOT NULL CHECK (debt >= 0),
  version INTEGER NOT NULL,
  previous INTEGER NOT NULL,
  lot INTEGER NOT NULL
) STRICT;

CREATE TABLE entry_runs (
  transaction_number INTEGER PRIMARY KEY,
  first_entry INTEGER NOT NULL,
  UNIQUE (first_entry)
) STRICT;

CREATE TRIGGER entry_runs_refuse_delete BEFORE DELETE ON entry_runs
  BEGIN SELECT RAISE(ABORT, 'entry_runs is append-only'); END;

CREATE TRIGGER entry_runs_refuse_update BEFORE UPDATE ON entry_runs
  BEGIN SELECT RAISE(ABORT, 'entry_runs is append-only'); END;

CREATE TABLE environments (
  environment INTEGER PRIMARY KEY,
  kind INTEGER NOT NULL,
  session TEXT
) STRICT;

CREATE TABLE erasures (
  customer INTEGER NOT NULL,
  transaction_number INTEGER NOT NULL,
  PRIMARY KEY (customer, transaction_number)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER erasures_refuse_delete BEFORE DELETE ON erasures
  BEGIN SELECT RAISE(ABORT, 'erasures is append-only'); END;

CREATE TRIGGER erasures_refuse_update BEFORE UPDATE ON erasures
  BEGIN SELECT RAISE(ABORT, 'erasures is append-only'); END;

CREATE TABLE evidence (
  store_transaction TEXT NOT NULL,
  environment INTEGER NOT NULL,
  store INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  revoked_at INTEGER NOT NULL,
  variant INTEGER NOT NULL,
  first_signed_at INTEGER NOT NULL,
  signed_at INTEGER NOT NULL,
  extent_kind INTEGER NOT NULL,
  extent INTEGER NOT NULL,
  content TEXT NOT NULL,
  original TEXT,
  reason INTEGER,
  due_at INTEGER,
  holder INTEGER,
  subject TEXT,
  PRIMARY KEY (store_transaction, environment, store, kind, revoked_at, variant)
) STRICT;

CREATE INDEX evidence_due ON evidence (reason, due_at, variant) WHERE reason IS NOT NULL;

CREATE INDEX evidence_holders ON evidence (holder) WHERE holder IS NOT NULL;

CREATE INDEX evidence_subjects ON evidence (subject) WHERE subject IS NOT NULL;

CREATE TABLE frozen_products (
  frozen_product INTEGER PRIMARY KEY,
  document TEXT NOT NULL UNIQUE
) STRICT;

CREATE TRIGGER frozen_products_refuse_delete BEFORE DELETE ON frozen_products
  BEGIN SELECT RAISE(ABORT, 'frozen_products is append-only'); END;

CREATE TRIGGER frozen_products_refuse_update BEFORE UPDATE ON frozen_products
  BEGIN SELECT RAISE(ABORT, 'frozen_products is append-only'); END;

CREATE TABLE item_entries (
  transaction_number INTEGER NOT NULL,
  item TEXT NOT NULL,
  customer INTEGER NOT NULL,
  quantity INTEGER NOT NULL CHECK (quantity <> 0),
  owned INTEGER NOT NULL CHECK (owned >= 0),
  PRIMARY KEY (transaction_number, item, customer)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER item_entries_refuse_delete BEFORE DELETE ON item_entries
  BEGIN SELECT RAISE(ABORT, 'item_entries is append-only'); END;

CREATE TRIGGER item_entries_refuse_update BEFORE UPDATE ON item_entries
  BEGIN SELECT RAISE(ABORT, 'item_entries is append-only'); END;

CREATE TABLE journal_events (
  transaction_number INTEGER NOT NULL,
  position INTEGER NOT NULL,
  customer INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  target INTEGER NOT NULL,
  currency INTEGER NOT NULL,
  lot INTEGER NOT NULL,
  amount INTEGER NOT NULL CHECK (amount >= 0),
  value INTEGER NOT NULL,
  counter_kind INTEGER,
  subject TEXT,
  period INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  held_after INTEGER NOT NULL CHECK (held_after >= 0),
  PRIMARY KEY (transaction_number, position),
  CHECK ((counter_kind IS NULL) = (subject IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX journal_events_of_targets ON journal_events (target, transaction_number, position)
  WHERE target <> 0 AND target <> transaction_number;

CREATE TRIGGER journal_events_refuse_delete BEFORE DELETE ON journal_events
  BEGIN SELECT RAISE(ABORT, 'journal_events is append-only'); END;

CREATE TRIGGER journal_events_refuse_update BEFORE UPDATE ON journal_events
  BEGIN SELECT RAISE(ABORT, 'journal_events is append-only'); END;

CREATE TABLE keys (
  key ANY NOT NULL,
  customer INTEGER NOT NULL,
  request_digest INTEGER NOT NULL,
  qualifier_digest INTEGER NOT NULL,
  transaction_number INTEGER,
  refusal TEXT,
  PRIMARY KEY (key, customer)
) STRICT, WITHOUT ROWID;

CREATE INDEX keys_not_booked ON keys (key, customer)
  WHERE transaction_number IS NULL OR transaction_number <= 0;

CREATE TRIGGER keys_refuse_delete BEFORE DELETE ON keys
  WHEN NOT EXISTS (SELECT 1 FROM erasures WHERE customer = OLD.customer)
  BEGIN SELECT RAISE(ABORT, 'keys is append-only'); END;

CREATE TRIGGER keys_refuse_update BEFORE UPDATE ON keys
  BEGIN SELECT RAISE(ABORT, 'keys is append-only'); END;

CREATE TABLE lot_attributes (
  lot INTEGER PRIMARY KEY,
  source INTEGER NOT NULL,
  environment INTEGER NOT NULL,
  price INTEGER,
  price_currency TEXT,
  purchase INTEGER,
  expires_at INTEGER NOT NULL,
  original_lot INTEGER NOT NULL
) STRICT;

CREATE TRIGGER lot_attributes_refuse_delete BEFORE DELETE ON lot_attributes
  BEGIN SELECT RAISE(ABORT, 'lot_attributes is append-only'); END;

CREATE TRIGGER lot_attributes_refuse_update BEFORE UPDATE ON lot_attributes
  BEGIN SELECT RAISE(ABORT, 'lot_attributes is append-only'); END;

CREATE TABLE lot_sequence (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  last INTEGER NOT NULL
) STRICT;

CREATE TABLE lots (
  lot INTEGER PRIMARY KEY,
  account INTEGER NOT NULL,
  source INTEGER NOT NULL,
  environment INTEGER NOT NULL,
  granted INTEGER NOT NULL,
  remaining INTEGER NOT NULL CHECK (remaining >= 0 AND remaining <= granted),
  price INTEGER,
  price_currency TEXT,
  purchase INTEGER,
  expires_at INTEGER NOT NULL,
  paid INTEGER NOT NULL GENERATED ALWAYS AS (source = 1) VIRTUAL
) STRICT;

CREATE INDEX lots_open ON lots (account, paid, expires_at) WHERE remaining > 0;

CREATE INDEX lots_pooled ON lots (account, source, environment)
  WHERE purchase IS NULL AND expires_at = 253402300799999;

CREATE TABLE merges (
  transaction_number INTEGER PRIMARY KEY,
  from_customer INTEGER NOT NULL,
  into_customer INTEGER NOT NULL
) STRICT;

CREATE TRIGGER merges_refuse_delete BEFORE DELETE ON merges
  BEGIN SELECT RAISE(ABORT, 'merges is append-only'); END;

CREATE TRIGGER merges_refuse_update BEFORE UPDATE ON merges
  BEGIN SELECT RAISE(ABORT, 'merges is append-only'); END;

CREATE TABLE migrations (
  name TEXT PRIMARY KEY,
  applied_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE notes (
  transaction_number INTEGER PRIMARY KEY,
  reference TEXT,
  reason TEXT,
  actor TEXT
) STRICT;

CREATE TABLE open_holds (
  hold INTEGER PRIMARY KEY,
  customer INTEGER NOT NULL,
  deadline INTEGER NOT NULL,
  begun_at INTEGER,
  currency INTEGER,
  lot INTEGER,
  amount INTEGER
) STRICT;

CREATE TABLE orders (
  number INTEGER PRIMARY KEY,
  code TEXT NOT NULL UNIQUE,
  customer INTEGER NOT NULL,
  store INTEGER NOT NULL,
  product TEXT NOT NULL,
  quantity INTEGER NOT NULL CHECK (quantity > 0),
  request TEXT NOT NULL,
  key TEXT,
  state INTEGER NOT NULL CHECK (state BETWEEN 1 AND 4),
  purchase INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  deadline INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  delivery_attempts INTEGER NOT NULL CHECK (delivery_attempts >= 0),
  CHECK ((purchase IS NOT NULL) = (state IN (2, 4)))
) STRICT;

CREATE INDEX orders_due ON orders (state, due_at, number) WHERE state <> 2;

CREATE INDEX orders_of_customer ON orders (customer, number);

CREATE UNIQUE INDEX orders_of_key ON orders (customer, key) WHERE key IS NOT NULL;

CREATE UNIQUE INDEX orders_of_purchase ON orders (purchase) WHERE purchase IS NOT NULL;

CREATE TRIGGER orders_refuse_delete BEFORE DELETE ON orders
  BEGIN SELECT RAISE(ABORT, 'orders are kept'); END;

CREATE TRIGGER orders_refuse_payment_update BEFORE UPDATE OF purchase ON orders
  WHEN OLD.purchase IS NOT NULL AND NEW.purchase IS NOT OLD.purchase
  BEGIN SELECT RAISE(ABORT, 'an order is paid for once'); END;

CREATE TRIGGER orders_refuse_request_update BEFORE UPDATE OF request, key ON orders
  WHEN NEW.request <> '{}' OR NEW.key IS NOT NULL
    OR NOT EXISTS (SELECT 1 FROM erasures WHERE customer = OLD.customer)
  BEGIN SELECT RAISE(ABORT, 'what an order announced never changes'); END;

CREATE TRIGGER orders_refuse_update
  BEFORE UPDATE OF number, code, store, product, quantity, created_at, deadline ON orders
  BEGIN SELECT RAISE(ABORT, 'what an order announced never changes'); END;

CREATE TABLE owned_items (
  customer INTEGER NOT NULL,
  item TEXT NOT NULL,
  quantity INTEGER NOT NULL CHECK (quantity >= 0),
  PRIMARY KEY (customer, item)
) STRICT, WITHOUT ROWID;

CREATE TABLE plain_transactions (
  number INTEGER PRIMARY KEY,
  kind INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  account INTEGER NOT NULL,
  amount INTEGER NOT NULL CHECK (amount <> 0),
  balance INTEGER NOT NULL CHECK (balance >= 0),
  version INTEGER NOT NULL,
  previous INTEGER NOT NULL,
  lot INTEGER NOT NULL,
  digest INTEGER NOT NULL,
  erasable_digest INTEGER
) STRICT;

CREATE TRIGGER plain_transactions_refuse_delete BEFORE DELETE ON plain_transactions
  BEGIN SELECT RAISE(ABORT, 'plain_transactions is append-only'); END;

CREATE TRIGGER plain_transactions_refuse_update BEFORE UPDATE ON plain_transactions
  BEGIN SELECT RAISE(ABORT, 'plain_transactions is append-only'); END;

CREATE TABLE project (
  project INTEGER PRIMARY KEY CHECK (project = 1),
  salt INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE purchases (
  purchase INTEGER PRIMARY KEY,
  store INTEGER NOT NULL,
  environment INTEGER NOT NULL,
  store_transaction TEXT NOT NULL,
  customer INTEGER NOT NULL,
  transaction_number INTEGER NOT NULL,
  product TEXT NOT NULL,
  quantity INTEGER NOT NULL CHECK (quantity > 0),
  price INTEGER,
  price_currency TEXT,
  purchased_at INTEGER NOT NULL,
  frozen_product INTEGER NOT NULL,
  original_transaction TEXT,
  expires_at INTEGER,
  grant_currency INTEGER,
  grant_lot INTEGER,
  grant_amount INTEGER,
  UNIQUE (store_transaction, environment, store)
) STRICT;

CREATE INDEX purchases_of_customers ON purchases (customer);

CREATE TRIGGER purchases_refuse_delete BEFORE DELETE ON purchases
  BEGIN SELECT RAISE(ABORT, 'purchases is append-only'); END;

CREATE TRIGGER purchases_refuse_update BEFORE UPDATE ON purchases
  BEGIN SELECT RAISE(ABORT, 'purchases is append-only'); END;

CREATE TABLE record_sums (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  transactions INTEGER NOT NULL,
  customers INTEGER NOT NULL,
  added_ids INTEGER NOT NULL,
  account_tokens INTEGER NOT NULL,
  orders INTEGER NOT NULL,
  environments INTEGER NOT NULL,
  catalog_versions INTEGER NOT NULL,
  catalog INTEGER NOT NULL
) STRICT;

CREATE TABLE refund_parts (
  transaction_number INTEGER NOT NULL,
  position INTEGER NOT NULL,
  lot INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  source_lot INTEGER NOT NULL,
  amount INTEGER NOT NULL CHECK (amount <> 0),
  PRIMARY KEY (transaction_number, position)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER refund_parts_refuse_delete BEFORE DELETE ON refund_parts
  BEGIN SELECT RAISE(ABORT, 'refund_parts is append-only'); END;

CREATE TRIGGER refund_parts_refuse_update BEFORE UPDATE ON refund_parts
  BEGIN SELECT RAISE(ABORT, 'refund_parts is append-only'); END;

CREATE TABLE refunds (
  transaction_number INTEGER PRIMARY KEY,
  purchase INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  revoked_at INTEGER NOT NULL,
  signed_at INTEGER NOT NULL,
  share INTEGER NOT NULL,
  share_of INTEGER NOT NULL,
  freezes INTEGER NOT NULL,
  evidence_at INTEGER,
  extent_kind INTEGER,
  extent INTEGER,
  lot INTEGER,
  part_kind INTEGER,
  source_lot INTEGER,
  amount INTEGER
) STRICT;

CREATE INDEX refunds_of_purchases ON refunds (purchase);

CREATE TRIGGER refunds_refuse_delete BEFORE DELETE ON refunds
  BEGIN SELECT RAISE(ABORT, 'refunds is append-only'); END;

CREATE TRIGGER refunds_refuse_update BEFORE UPDATE ON refunds
  BEGIN SELECT RAISE(ABORT, 'refunds is append-only'); END;

CREATE TABLE "transaction_rows" (
  number INTEGER PRIMARY KEY,
  kind INTEGER NOT NULL,
  customer INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  first_entry INTEGER NOT NULL,
  digest INTEGER NOT NULL,
  erasable_digest INTEGER
) STRICT;

CREATE TRIGGER transactions_refuse_delete BEFORE DELETE ON "transaction_rows"
  BEGIN SELECT RAISE(ABORT, 'transactions is append-only'); END;

CREATE TRIGGER transactions_refuse_update BEFORE UPDATE ON "transaction_rows"
  BEGIN SELECT RAISE(ABORT, 'transactions is append-only'); END;
