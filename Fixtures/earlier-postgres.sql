-- A ledger as the version before the evidence of stores left it; see EarlierStory.
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET client_min_messages = warning;
CREATE SCHEMA gemledger;
CREATE FUNCTION gemledger.refuse_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN RAISE EXCEPTION '% is append-only', TG_TABLE_NAME; END $$;
CREATE TABLE gemledger.account_tokens (
    high bigint NOT NULL,
    low bigint NOT NULL,
    customer bigint NOT NULL
);
CREATE TABLE gemledger.accounts (
    customer bigint NOT NULL,
    currency smallint NOT NULL,
    balance bigint NOT NULL,
    debt bigint NOT NULL,
    held bigint NOT NULL,
    version bigint NOT NULL,
    last_entry bigint NOT NULL,
    pool_lot bigint NOT NULL,
    pool_source smallint NOT NULL,
    pool_environment bigint NOT NULL,
    pool_granted bigint NOT NULL,
    pool_remaining bigint NOT NULL,
    open_lots bigint NOT NULL,
    next_expiry bigint NOT NULL,
    next_scheduled_at bigint NOT NULL,
    CONSTRAINT accounts_balance_check CHECK ((balance >= 0)),
    CONSTRAINT accounts_debt_check CHECK ((debt >= 0)),
    CONSTRAINT accounts_held_check CHECK ((held >= 0)),
    CONSTRAINT accounts_pool_remaining_check CHECK ((pool_remaining >= 0))
)
WITH (fillfactor='75');
CREATE TABLE gemledger.added_ids (
    customer bigint NOT NULL,
    id text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE gemledger.aliases (
    id text NOT NULL COLLATE pg_catalog."C",
    customer bigint NOT NULL
);
CREATE TABLE gemledger.allocations (
    customer bigint NOT NULL,
    entry bigint NOT NULL,
    "position" bigint NOT NULL,
    lot bigint NOT NULL,
    amount bigint NOT NULL,
    CONSTRAINT allocations_amount_check CHECK ((amount <> 0))
);
CREATE TABLE gemledger.catalog (
    kind smallint NOT NULL,
    code text NOT NULL COLLATE pg_catalog."C",
    "position" bigint NOT NULL,
    document text NOT NULL
);
CREATE TABLE gemledger.catalog_versions (
    version bigint NOT NULL,
    applied_at bigint NOT NULL
);
CREATE TABLE gemledger.checkpoints (
    customer bigint NOT NULL,
    currency smallint NOT NULL,
    version bigint NOT NULL,
    entry bigint NOT NULL,
    transaction_number bigint NOT NULL,
    created_at bigint NOT NULL
);
CREATE TABLE gemledger.commit_tokens (
    customer bigint NOT NULL,
    writer bytea NOT NULL,
    token bigint NOT NULL,
    committed_at bigint NOT NULL
)
WITH (fillfactor='20');
CREATE TABLE gemledger.copy_progress (
    one smallint NOT NULL,
    step bigint NOT NULL,
    pages bigint NOT NULL,
    source bigint NOT NULL,
    CONSTRAINT copy_progress_one_check CHECK ((one = 1))
);
CREATE TABLE gemledger.counters (
    customer bigint NOT NULL,
    kind smallint NOT NULL,
    subject text NOT NULL COLLATE pg_catalog."C",
    period bigint NOT NULL,
    value bigint NOT NULL
)
WITH (fillfactor='75');
CREATE TABLE gemledger.customers (
    customer bigint NOT NULL,
    id text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    frozen bigint DEFAULT 0 NOT NULL,
    frozen_reason text,
    merged_into bigint DEFAULT 0 NOT NULL,
    merged_count bigint DEFAULT 0 NOT NULL,
    erased_by bigint DEFAULT 0 NOT NULL
);
CREATE TABLE gemledger.documents (
    name text NOT NULL COLLATE pg_catalog."C",
    version bigint NOT NULL,
    content text NOT NULL,
    CONSTRAINT documents_version_check CHECK ((version > 0))
);
CREATE TABLE gemledger.entitlement_holders (
    purchase bigint NOT NULL,
    holder bigint NOT NULL
);
CREATE TABLE gemledger.entitlements (
    customer bigint NOT NULL,
    purchase bigint NOT NULL
);
CREATE TABLE gemledger.entries (
    customer bigint NOT NULL,
    number bigint NOT NULL,
    currency smallint NOT NULL,
    kind smallint NOT NULL,
    amount bigint NOT NULL,
    balance bigint NOT NULL,
    debt bigint NOT NULL,
    version bigint NOT NULL,
    previous bigint NOT NULL,
    lot bigint NOT NULL,
    CONSTRAINT entries_amount_check CHECK ((amount <> 0)),
    CONSTRAINT entries_balance_check CHECK ((balance >= 0)),
    CONSTRAINT entries_debt_check CHECK ((debt >= 0))
);
CREATE TABLE gemledger.environments (
    environment bigint NOT NULL,
    kind smallint NOT NULL,
    session text COLLATE pg_catalog."C"
);
CREATE TABLE gemledger.frozen_products (
    frozen_product bigint NOT NULL,
    document text NOT NULL
);
CREATE TABLE gemledger.item_entries (
    customer bigint NOT NULL,
    transaction_number bigint NOT NULL,
    item text NOT NULL COLLATE pg_catalog."C",
    quantity bigint NOT NULL,
    owned bigint NOT NULL,
    CONSTRAINT item_entries_owned_check CHECK ((owned >= 0)),
    CONSTRAINT item_entries_quantity_check CHECK ((quantity <> 0))
);
CREATE TABLE gemledger.journal_events (
    customer bigint NOT NULL,
    transaction_number bigint NOT NULL,
    "position" bigint NOT NULL,
    kind smallint NOT NULL,
    target bigint NOT NULL,
    currency smallint NOT NULL,
    lot bigint NOT NULL,
    amount bigint NOT NULL,
    value bigint NOT NULL,
    counter_kind smallint NOT NULL,
    subject text NOT NULL COLLATE pg_catalog."C",
    period bigint NOT NULL,
    created_at bigint NOT NULL,
    held_after bigint NOT NULL,
    CONSTRAINT journal_events_amount_check CHECK ((amount >= 0)),
    CONSTRAINT journal_events_held_after_check CHECK ((held_after >= 0))
);
CREATE TABLE gemledger.keys (
    customer bigint NOT NULL,
    key bytea NOT NULL,
    request_digest bigint NOT NULL,
    qualifier_digest bigint NOT NULL,
    transaction_number bigint,
    refusal text
);
CREATE TABLE gemledger.lanes (
    customer bigint NOT NULL,
    lane smallint NOT NULL,
    layout bigint NOT NULL,
    last bigint NOT NULL,
    created_at bigint NOT NULL,
    transactions bigint NOT NULL,
    entries bigint NOT NULL,
    catalog_version bigint NOT NULL,
    sums bigint[]
)
WITH (fillfactor='20');
CREATE TABLE gemledger.lot_attributes (
    customer bigint NOT NULL,
    lot bigint NOT NULL,
    source smallint NOT NULL,
    environment bigint NOT NULL,
    price bigint,
    price_currency text,
    purchase bigint,
    expires_at bigint NOT NULL,
    original_lot bigint NOT NULL
);
CREATE TABLE gemledger.lots (
    customer bigint NOT NULL,
    lot bigint NOT NULL,
    currency smallint NOT NULL,
    source smallint NOT NULL,
    environment bigint NOT NULL,
    granted bigint NOT NULL,
    remaining bigint NOT NULL,
    price bigint,
    price_currency text,
    purchase bigint,
    expires_at bigint NOT NULL,
    CONSTRAINT lots_check CHECK (((remaining >= 0) AND (remaining <= granted)))
);
CREATE TABLE gemledger.merged_customers (
    customer bigint NOT NULL,
    merged bigint NOT NULL
);
CREATE TABLE gemledger.merges (
    customer bigint NOT NULL,
    transaction_number bigint NOT NULL,
    from_customer bigint NOT NULL
);
CREATE TABLE gemledger.migrations (
    name text NOT NULL COLLATE pg_catalog."C",
    applied_at bigint NOT NULL
);
CREATE TABLE gemledger.notes (
    customer bigint NOT NULL,
    transaction_number bigint NOT NULL,
    reference text,
    reason text,
    actor text
);
CREATE TABLE gemledger.open_holds (
    customer bigint NOT NULL,
    hold bigint NOT NULL,
    deadline bigint NOT NULL,
    begun_at bigint,
    currency smallint,
    lot bigint,
    amount bigint,
    CONSTRAINT open_holds_check CHECK ((((currency IS NULL) = (lot IS NULL)) AND ((lot IS NULL) = (amount IS NULL))))
);
CREATE TABLE gemledger.orders (
    customer bigint NOT NULL,
    number bigint NOT NULL,
    code text NOT NULL COLLATE pg_catalog."C",
    store smallint NOT NULL,
    product text NOT NULL COLLATE pg_catalog."C",
    quantity bigint NOT NULL,
    request text NOT NULL,
    key text COLLATE pg_catalog."C",
    state smallint NOT NULL,
    purchase bigint,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    deadline bigint NOT NULL,
    due_at bigint NOT NULL,
    delivery_attempts bigint NOT NULL,
    CONSTRAINT orders_check CHECK (((purchase IS NOT NULL) = (state = ANY (ARRAY[2, 4])))),
    CONSTRAINT orders_delivery_attempts_check CHECK ((delivery_attempts >= 0)),
    CONSTRAINT orders_quantity_check CHECK ((quantity > 0)),
    CONSTRAINT orders_state_check CHECK (((state >= 1) AND (state <= 4)))
);
CREATE TABLE gemledger.owned_items (
    customer bigint NOT NULL,
    item text NOT NULL COLLATE pg_catalog."C",
    quantity bigint NOT NULL,
    CONSTRAINT owned_items_quantity_check CHECK ((quantity >= 0))
);
CREATE TABLE gemledger.project (
    project smallint NOT NULL,
    salt bigint NOT NULL,
    created_at bigint NOT NULL,
    is_distributed boolean DEFAULT false NOT NULL,
    CONSTRAINT project_project_check CHECK ((project = 1))
);
CREATE TABLE gemledger.purchase_codes (
    code text NOT NULL COLLATE pg_catalog."C",
    customer bigint NOT NULL,
    number bigint NOT NULL
);
CREATE TABLE gemledger.purchases (
    customer bigint NOT NULL,
    purchase bigint NOT NULL,
    store smallint NOT NULL,
    environment bigint NOT NULL,
    store_transaction text NOT NULL COLLATE pg_catalog."C",
    transaction_number bigint NOT NULL,
    product text NOT NULL COLLATE pg_catalog."C",
    quantity bigint NOT NULL,
    price bigint,
    price_currency text,
    purchased_at bigint NOT NULL,
    frozen_product bigint NOT NULL,
    original_transaction text COLLATE pg_catalog."C",
    expires_at bigint,
    grant_currency smallint,
    grant_lot bigint,
    grant_amount bigint,
    CONSTRAINT purchases_quantity_check CHECK ((quantity > 0))
);
CREATE TABLE gemledger.refund_evidence (
    store_transaction text NOT NULL COLLATE pg_catalog."C",
    environment bigint NOT NULL,
    store smallint NOT NULL,
    kind smallint NOT NULL,
    revoked_at bigint NOT NULL,
    signed_at bigint NOT NULL,
    extent_kind smallint NOT NULL,
    extent bigint NOT NULL
);
CREATE TABLE gemledger.refund_parts (
    customer bigint NOT NULL,
    transaction_number bigint NOT NULL,
    "position" bigint NOT NULL,
    lot bigint NOT NULL,
    kind smallint NOT NULL,
    source_lot bigint NOT NULL,
    amount bigint NOT NULL,
    CONSTRAINT refund_parts_amount_check CHECK ((amount <> 0))
);
CREATE TABLE gemledger.refunds (
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
    amount bigint
);
CREATE TABLE gemledger.store_transactions (
    store_transaction text NOT NULL COLLATE pg_catalog."C",
    environment bigint NOT NULL,
    store smallint NOT NULL,
    customer bigint NOT NULL,
    purchase bigint NOT NULL
);
CREATE TABLE gemledger.transactions (
    customer bigint NOT NULL,
    number bigint NOT NULL,
    kind smallint NOT NULL,
    has_entries boolean NOT NULL,
    created_at bigint NOT NULL,
    digest bigint NOT NULL,
    erasable_digest bigint
);
INSERT INTO gemledger.account_tokens VALUES
	(1, 2, 64);
INSERT INTO gemledger.accounts VALUES
	(13312001, 4, 0, 90, 0, 3, 150994948096, 0, 0, 0, 0, 0, 0, 9223372036854775807, 9223372036854775807),
	(13312001, 3, 0, 0, 0, 3, 155189252096, 0, 0, 0, 0, 0, 0, 9223372036854775807, 9223372036854775807),
	(17408001, 1, 1200, 0, 0, 3, 163577860096, 0, 0, 0, 0, 0, 1, 9223372036854775807, 9223372036854775807),
	(13312001, 1, 2400, 0, 0, 2, 67108868096, 0, 0, 0, 0, 0, 2, 9223372036854775807, 9223372036854775807),
	(29696001, 1, 300, 0, 0, 5, 226492420096, 0, 0, 0, 0, 0, 3, 1769817600000, 9223372036854775807),
	(13312001, 2, 75, 0, 0, 1, 138412822528, 33792193, 4, 1, 75, 75, 0, 9223372036854775807, 9223372036854775807),
	(18432000, 2, 0, 0, 0, 2, 138412818432, 0, 0, 0, 0, 0, 0, 9223372036854775807, 9223372036854775807),
	(18432000, 1, 0, 0, 0, 4, 138412818434, 0, 0, 0, 0, 0, 0, 9223372036854775807, 9223372036854775807),
	(64, 1, 8300, 0, 0, 16, 230686720000, 0, 0, 0, 0, 0, 4, 9223372036854775807, 9223372036854775807),
	(64, 2, 320, 0, 0, 4, 146800640000, 0, 0, 0, 0, 0, 2, 9223372036854775807, 9223372036854775807),
	(21504001, 1, 8730, 0, 40, 20, 15342764036096, 0, 0, 0, 0, 0, 6, 9223372036854775807, 1767312033000);
INSERT INTO gemledger.aliases VALUES
	('alice', 64),
	('bob', 13312001),
	('erin', 18432000),
	('frank', 21504001),
	('carol', 29696001),
	('$erased:743daa53d6284658', 17408001);
INSERT INTO gemledger.allocations VALUES
	(64, 46137344000, 1, 11264000, 300),
	(64, 46137344000, 2, 11264064, 30),
	(13312001, 54525956096, 1, 13312001, 100),
	(13312001, 54525956096, 2, 13312065, 20),
	(18432000, 79691776000, 1, 19456000, 300),
	(18432000, 79691776000, 2, 19456064, 30),
	(64, 138412294144, 1, 7168000, -1200),
	(64, 138412294144, 2, 8192000, -1200),
	(64, 138412294144, 3, 9216000, -100),
	(18432000, 138412818432, 1, 19456000, -300),
	(18432000, 138412818432, 2, 19456064, -30),
	(64, 138412818433, 1, 19456000, 300),
	(64, 138412818433, 2, 19456064, 30),
	(18432000, 138412818434, 1, 18432000, -1200),
	(18432000, 138412818434, 2, 19456128, -500),
	(18432000, 138412818434, 3, 20480000, -1200),
	(64, 138412818435, 1, 18432000, 1200),
	(64, 138412818435, 2, 19456128, 500),
	(64, 138412818435, 3, 20480000, 1200),
	(64, 146800640000, 1, 11264000, -300),
	(64, 146800640000, 2, 11264064, -20),
	(64, 146800640000, 3, 19456064, -10),
	(13312001, 150994948096, 1, 13312001, -10),
	(13312001, 150994948096, 2, 13312065, -20),
	(21504001, 171966468096, 1, 21504001, -1110),
	(21504001, 171966468096, 2, 22528001, -90),
	(21504001, 176160772096, 1, 22528001, 90),
	(21504001, 176160772096, 2, 21504001, 1110);
INSERT INTO gemledger.catalog VALUES
	(1, 'GEM', 1, '{"code":"GEM","name":"Gems","description":null,"icon":null,"maximum_balance":null,"burn_order":"free_first","refund_policy":"floor","initial_balance":null,"recharge":null,"allowance":null,"limits":null}'),
	(1, 'COIN', 2, '{"code":"COIN","name":"Coins","description":null,"icon":null,"maximum_balance":null,"burn_order":"free_first","refund_policy":"floor","initial_balance":null,"recharge":null,"allowance":null,"limits":null}'),
	(1, 'ORE', 3, '{"code":"ORE","name":"Ore","description":null,"icon":null,"maximum_balance":1000,"burn_order":"free_first","refund_policy":"freeze","initial_balance":null,"recharge":null,"allowance":null,"limits":null}'),
	(1, 'RUBY', 4, '{"code":"RUBY","name":"Rubies","description":null,"icon":null,"maximum_balance":null,"burn_order":"paid_first","refund_policy":"debt","initial_balance":null,"recharge":null,"allowance":null,"limits":null}'),
	(2, 'gems', 0, '{"code":"gems","store_ids":{"amazon":"gems","apple":"gems","google":"gems","test":"gems"},"type":"consumable","active":true,"localizations":[],"prices":{},"discount_prices":{},"grants":[{"currency":"GEM","amount":1200,"bonus":0,"expires_at_cycle_end":false}],"item_grants":[],"entitlement":null,"period":null}'),
	(2, 'rubies', 1, '{"code":"rubies","store_ids":{},"type":"consumable","active":true,"localizations":[],"prices":{},"discount_prices":{},"grants":[{"currency":"RUBY","amount":100,"bonus":20,"expires_at_cycle_end":false}],"item_grants":[],"entitlement":null,"period":null}'),
	(2, 'ore_pack', 2, '{"code":"ore_pack","store_ids":{},"type":"consumable","active":true,"localizations":[],"prices":{},"discount_prices":{},"grants":[{"currency":"ORE","amount":900,"bonus":0,"expires_at_cycle_end":false}],"item_grants":[],"entitlement":null,"period":null}'),
	(2, 'bundle', 3, '{"code":"bundle","store_ids":{"apple":"bundle"},"type":"consumable","active":true,"localizations":[],"prices":{},"discount_prices":{},"grants":[{"currency":"GEM","amount":500,"bonus":0,"expires_at_cycle_end":false},{"currency":"COIN","amount":300,"bonus":30,"expires_at_cycle_end":false}],"item_grants":[{"item":"sword","quantity":2}],"entitlement":null,"period":null}'),
	(2, 'chest', 4, '{"code":"chest","store_ids":{},"type":"consumable","active":true,"localizations":[],"prices":{},"discount_prices":{},"grants":[],"item_grants":[{"item":"sword","quantity":1},{"item":"extra_life","quantity":2}],"entitlement":null,"period":null}'),
	(2, 'club', 5, '{"code":"club","store_ids":{},"type":"auto_renewable_subscription","active":true,"localizations":[],"prices":{},"discount_prices":{},"grants":[{"currency":"GEM","amount":100,"bonus":0,"expires_at_cycle_end":true}],"item_grants":[],"entitlement":"club","period":"P1M"}'),
	(4, 'extra_life', 0, '{"id":"extra_life","name":"Extra life","price":{"GEM":50},"limit":null,"limit_per":null,"stock":null,"available":null}'),
	(4, 'sword', 1, '{"id":"sword","name":"Sword","price":{"COIN":10,"GEM":100},"limit":null,"limit_per":null,"stock":null,"available":null}'),
	(5, 'settings', 0, '{"project_id":"default","bundle_id":"com.example.gems","sandbox_receipts":"anybody"}'),
	(6, 'COIN@1767225600000', 1767225600000, '{"code":"COIN","name":"Coins","description":null,"icon":null,"maximum_balance":null,"burn_order":"free_first","refund_policy":"floor","initial_balance":null,"recharge":null,"allowance":null,"limits":null}'),
	(6, 'GEM@1767225600000', 1767225600000, '{"code":"GEM","name":"Gems","description":null,"icon":null,"maximum_balance":null,"burn_order":"free_first","refund_policy":"floor","initial_balance":null,"recharge":null,"allowance":null,"limits":null}'),
	(6, 'ORE@1767225600000', 1767225600000, '{"code":"ORE","name":"Ore","description":null,"icon":null,"maximum_balance":1000,"burn_order":"free_first","refund_policy":"freeze","initial_balance":null,"recharge":null,"allowance":null,"limits":null}'),
	(6, 'RUBY@1767225600000', 1767225600000, '{"code":"RUBY","name":"Rubies","description":null,"icon":null,"maximum_balance":null,"burn_order":"paid_first","refund_policy":"debt","initial_balance":null,"recharge":null,"allowance":null,"limits":null}'),
	(5, 'former_products_since', 2, '-9223372036854775808');
INSERT INTO gemledger.catalog_versions VALUES
	(1, 1767225600000);
INSERT INTO gemledger.commit_tokens VALUES
	(-1, '\xde1a49f783754b1e4764b74b0f55ab86', 69, 1795765762657),
	(-2, '\x9b57337be856d05e0bb211fa1724a14d', 71, 1795765762662);
INSERT INTO gemledger.customers VALUES
	(21504001, 'frank', 1767225621000, 0, NULL, 0, 0, 0),
	(29696001, 'carol', 1767225629000, 0, NULL, 0, 0, 0),
	(64, 'alice', 1767225600000, 0, NULL, 0, 1, 0),
	(18432000, 'erin', 1767225618000, 0, NULL, 64, 0, 0),
	(13312001, 'bob', 1767225613000, 2, 'A refunded purchase was spent already.', 0, 0, 0),
	(17408001, '$erased:743daa53d6284658', 1767225617000, 1, NULL, 0, 0, 59392001);
INSERT INTO gemledger.entitlement_holders VALUES
	(29696001, 29696001),
	(30720001, 29696001),
	(31744001, 29696001),
	(32768001, 29696001);
INSERT INTO gemledger.entitlements VALUES
	(29696001, 29696001),
	(29696001, 30720001),
	(29696001, 31744001),
	(29696001, 32768001);
INSERT INTO gemledger.entries VALUES
	(64, 29360128000, 1, 1, 1200, 1200, 0, 1, 0, 7168000),
	(64, 33554432000, 1, 1, 1200, 2400, 0, 2, 29360128000, 8192000),
	(64, 37748736000, 1, 1, 3600, 6000, 0, 3, 33554432000, 9216000),
	(64, 41943040000, 1, 1, 4800, 10800, 0, 4, 37748736000, 10240000),
	(64, 46137344000, 2, 1, 330, 330, 0, 1, 0, 0),
	(64, 46137344001, 1, 1, 500, 11300, 0, 5, 41943040000, 11264128),
	(64, 50331648000, 1, 1, 1200, 12500, 0, 6, 46137344001, 12288000),
	(64, 50331910144, 1, 5, -1200, 11300, 0, 7, 50331648000, 12288000),
	(13312001, 54525956096, 4, 1, 120, 120, 0, 1, 0, 0),
	(13312001, 58720260096, 3, 1, 900, 900, 0, 1, 0, 14336001),
	(13312001, 62914564096, 1, 1, 1200, 1200, 0, 1, 0, 15360001),
	(13312001, 67108868096, 1, 1, 1200, 2400, 0, 2, 62914564096, 16384001),
	(17408001, 71303172096, 1, 1, 1200, 1200, 0, 1, 0, 17408001),
	(18432000, 75497472000, 1, 1, 1200, 1200, 0, 1, 0, 18432000),
	(18432000, 79691776000, 2, 1, 330, 330, 0, 1, 0, 0),
	(18432000, 79691776001, 1, 1, 500, 1700, 0, 2, 75497472000, 19456128),
	(18432000, 83886080000, 1, 1, 1200, 2900, 0, 3, 79691776001, 20480000),
	(21504001, 88080388096, 1, 1, 1200, 1200, 0, 1, 0, 21504001),
	(21504001, 92274692096, 1, 1, 1200, 2400, 0, 2, 88080388096, 22528001),
	(21504001, 96468996096, 1, 1, 1200, 3600, 0, 3, 92274692096, 23552001),
	(21504001, 100663300096, 1, 1, 4800, 8400, 0, 4, 96468996096, 24576001),
	(21504001, 104857604096, 1, 1, 4800, 13200, 0, 5, 100663300096, 25600001),
	(21504001, 109051908096, 1, 1, 1200, 14400, 0, 6, 104857604096, 26624001),
	(17408001, 117440516096, 1, 1, 1200, 2400, 0, 2, 71303172096, 28672001),
	(29696001, 121634820096, 1, 1, 100, 100, 0, 1, 0, 29696001),
	(29696001, 125829124096, 1, 1, 100, 200, 0, 2, 121634820096, 30720001),
	(29696001, 130023428096, 1, 1, 100, 300, 0, 3, 125829124096, 31744001),
	(29696001, 134217732096, 1, 1, 100, 400, 0, 4, 130023428096, 32768001),
	(64, 138412032000, 1, 1, 1200, 12500, 0, 8, 50331910144, 33792000),
	(64, 138412294144, 1, 3, -2500, 10000, 0, 9, 138412032000, 0),
	(13312001, 138412036096, 3, 3, -850, 50, 0, 2, 58720260096, 14336001),
	(13312001, 138412036097, 4, 3, -90, 30, 0, 2, 54525956096, 13312001),
	(64, 138412556288, 2, 3, -10, 320, 0, 2, 46137344000, 11264064),
	(64, 138412556289, 1, 3, -100, 9900, 0, 10, 138412294144, 9216000),
	(21504001, 138412298240, 1, 3, -50, 14350, 0, 7, 109051908096, 21504001),
	(13312001, 138412822528, 2, 2, 75, 75, 0, 1, 0, 33792193),
	(18432000, 138412818432, 2, 10, -330, 0, 0, 2, 79691776000, 0),
	(64, 138412818433, 2, 10, 330, 650, 0, 3, 138412556288, 0),
	(18432000, 138412818434, 1, 10, -2900, 0, 0, 4, 83886080000, 0),
	(64, 138412818435, 1, 10, 2900, 12800, 0, 11, 138412556289, 0),
	(64, 142606336000, 1, 5, -1200, 11600, 0, 12, 138412818435, 9216000),
	(64, 146800640000, 2, 5, -330, 320, 0, 4, 138412818433, 0),
	(64, 146800640001, 1, 5, -500, 11100, 0, 13, 142606336000, 11264128),
	(13312001, 150994948096, 4, 5, -120, 0, 90, 3, 138412036097, 0),
	(13312001, 155189252096, 3, 5, -50, 0, 0, 3, 138412036096, 14336001),
	(64, 159383552000, 1, 5, -400, 10700, 0, 14, 146800640001, 18432000),
	(17408001, 163577860096, 1, 5, -1200, 1200, 0, 3, 117440516096, 17408001),
	(64, 167772160000, 1, 5, -1200, 9500, 0, 15, 159383552000, 20480000),
	(21504001, 171966468096, 1, 5, -1200, 13150, 0, 8, 138412298240, 0),
	(21504001, 176160772096, 1, 6, 1200, 14350, 0, 9, 171966468096, 0),
	(21504001, 180355076096, 1, 5, -1200, 13150, 0, 10, 176160772096, 22528001),
	(21504001, 184549380096, 1, 6, 1200, 14350, 0, 11, 180355076096, 22528001),
	(21504001, 188743684096, 1, 5, -300, 14050, 0, 12, 184549380096, 23552001),
	(21504001, 192937988096, 1, 5, -300, 13750, 0, 13, 188743684096, 23552001),
	(21504001, 197132292096, 1, 5, -1200, 12550, 0, 14, 192937988096, 24576001),
	(21504001, 201326596096, 1, 5, -1200, 11350, 0, 15, 197132292096, 24576001),
	(21504001, 205520900096, 1, 5, -2400, 8950, 0, 16, 201326596096, 25600001),
	(21504001, 209715204096, 1, 5, -1200, 7750, 0, 17, 205520900096, 26624001),
	(21504001, 213909508096, 1, 6, 1200, 8950, 0, 18, 209715204096, 26624001),
	(21504001, 218103812096, 1, 5, -120, 8830, 0, 19, 213909508096, 26624001),
	(29696001, 226492420096, 1, 5, -100, 300, 0, 5, 134217732096, 30720001),
	(64, 230686720000, 1, 5, -1200, 8300, 0, 16, 167772160000, 33792000),
	(21504001, 15342764036096, 1, 3, -100, 8730, 0, 20, 218103812096, 21504001);
INSERT INTO gemledger.environments VALUES
	(16, 4, 'earlier');
INSERT INTO gemledger.frozen_products VALUES
	(6263208820647755732, '{"code":"gems","store_ids":{"amazon":"gems","apple":"gems","google":"gems","test":"gems"},"type":"consumable","active":true,"localizations":[],"prices":{},"discount_prices":{},"grants":[{"currency":"GEM","amount":1200,"bonus":0,"expires_at_cycle_end":false}],"item_grants":[],"entitlement":null,"period":null}'),
	(-3157581698651154835, '{"code":"bundle","store_ids":{"apple":"bundle"},"type":"consumable","active":true,"localizations":[],"prices":{},"discount_prices":{},"grants":[{"currency":"GEM","amount":500,"bonus":0,"expires_at_cycle_end":false},{"currency":"COIN","amount":300,"bonus":30,"expires_at_cycle_end":false}],"item_grants":[{"item":"sword","quantity":2}],"entitlement":null,"period":null}'),
	(-536511685879802632, '{"code":"rubies","store_ids":{},"type":"consumable","active":true,"localizations":[],"prices":{},"discount_prices":{},"grants":[{"currency":"RUBY","amount":100,"bonus":20,"expires_at_cycle_end":false}],"item_grants":[],"entitlement":null,"period":null}'),
	(-4957033562209726930, '{"code":"ore_pack","store_ids":{},"type":"consumable","active":true,"localizations":[],"prices":{},"discount_prices":{},"grants":[{"currency":"ORE","amount":900,"bonus":0,"expires_at_cycle_end":false}],"item_grants":[],"entitlement":null,"period":null}'),
	(8402658243684308385, '{"code":"chest","store_ids":{},"type":"consumable","active":true,"localizations":[],"prices":{},"discount_prices":{},"grants":[],"item_grants":[{"item":"sword","quantity":1},{"item":"extra_life","quantity":2}],"entitlement":null,"period":null}'),
	(2832649712812774108, '{"code":"club","store_ids":{},"type":"auto_renewable_subscription","active":true,"localizations":[],"prices":{},"discount_prices":{},"grants":[{"currency":"GEM","amount":100,"bonus":0,"expires_at_cycle_end":true}],"item_grants":[],"entitlement":"club","period":"P1M"}');
INSERT INTO gemledger.item_entries VALUES
	(64, 11264000, 'sword', 2, 2),
	(18432000, 19456000, 'sword', 2, 2),
	(21504001, 27648001, 'extra_life', 2, 2),
	(21504001, 27648001, 'sword', 1, 1),
	(64, 33792128, 'sword', 1, 3),
	(21504001, 33792065, 'extra_life', 1, 3),
	(18432000, 33792192, 'sword', -2, 0),
	(64, 33792192, 'sword', 2, 5),
	(64, 35840000, 'sword', -2, 3),
	(21504001, 54272001, 'extra_life', -1, 2);
INSERT INTO gemledger.journal_events VALUES
	(21504001, 33792129, 1, 3, 33792129, 1, 21504001, 40, 1767312033000, 0, '', 0, 1767225633000, 40);
INSERT INTO gemledger.keys VALUES
	(64, '\x7370656e642d31', -7219129446254251654, 0, 33792064, NULL),
	(64, '\x73776f72642d31', 1843876837957042177, 0, 33792128, NULL);
INSERT INTO gemledger.lanes VALUES
	(-1, 0, 1, 56320000, 1767225655000, 19, 26, 1, '{5716243818408800537,-2199295208361469511,0,-7499958671683631522,1047563106361216794,0,-2707830929555974290,7498368459678212182}'),
	(-2, 1, 1, 3745792001, 1767229258000, 40, 37, 1, '{-1739493320613692464,58432816933169632,0,0,0,1299377621102938813,0,0}');
INSERT INTO gemledger.lot_attributes VALUES
	(64, 7168000, 1, 1, 999, 'USD', 7168000, 9223372036854775807, 0),
	(64, 8192000, 1, 2, 999, 'USD', 8192000, 9223372036854775807, 0),
	(64, 9216000, 1, 16, 2997, 'USD', 9216000, 9223372036854775807, 0),
	(64, 10240000, 1, 1, 3996, 'USD', 10240000, 9223372036854775807, 0),
	(64, 11264000, 1, 1, 499, 'USD', 11264000, 9223372036854775807, 0),
	(64, 11264064, 2, 1, NULL, NULL, 11264000, 9223372036854775807, 0),
	(64, 11264128, 1, 1, 500, 'USD', 11264000, 9223372036854775807, 0),
	(64, 12288000, 1, 1, 999, 'USD', 12288000, 9223372036854775807, 0),
	(13312001, 13312001, 1, 1, 999, 'USD', 13312001, 9223372036854775807, 0),
	(13312001, 13312065, 2, 1, NULL, NULL, 13312001, 9223372036854775807, 0),
	(13312001, 14336001, 1, 1, 999, 'USD', 14336001, 9223372036854775807, 0),
	(13312001, 15360001, 1, 1, 999, 'USD', 15360001, 9223372036854775807, 0),
	(13312001, 16384001, 1, 16, 999, 'USD', 16384001, 9223372036854775807, 0),
	(17408001, 17408001, 1, 1, 999, 'USD', 17408001, 9223372036854775807, 0),
	(18432000, 18432000, 1, 1, 999, 'USD', 18432000, 9223372036854775807, 0),
	(18432000, 19456000, 1, 16, 499, 'USD', 19456000, 9223372036854775807, 0),
	(18432000, 19456064, 2, 16, NULL, NULL, 19456000, 9223372036854775807, 0),
	(18432000, 19456128, 1, 16, 500, 'USD', 19456000, 9223372036854775807, 0),
	(18432000, 20480000, 1, 16, 999, 'USD', 20480000, 9223372036854775807, 0),
	(21504001, 21504001, 1, 1, 999, 'USD', 21504001, 9223372036854775807, 0),
	(21504001, 22528001, 1, 1, 999, 'USD', 22528001, 9223372036854775807, 0),
	(21504001, 23552001, 1, 1, 999, 'USD', 23552001, 9223372036854775807, 0),
	(21504001, 24576001, 1, 1, 3996, 'USD', 24576001, 9223372036854775807, 0),
	(21504001, 25600001, 1, 1, 3996, 'USD', 25600001, 9223372036854775807, 0),
	(21504001, 26624001, 1, 1, 999, 'USD', 26624001, 9223372036854775807, 0),
	(17408001, 28672001, 1, 16, 999, 'USD', 28672001, 9223372036854775807, 0),
	(29696001, 29696001, 1, 1, 999, 'USD', 29696001, 1769817600000, 0),
	(29696001, 30720001, 1, 1, 999, 'USD', 30720001, 1769817600000, 0),
	(29696001, 31744001, 1, 1, 999, 'USD', 31744001, 1769817600000, 0),
	(29696001, 32768001, 1, 1, 999, 'USD', 32768001, 1769817600000, 0),
	(64, 33792000, 1, 1, 999, 'USD', 33792000, 9223372036854775807, 0),
	(13312001, 33792193, 4, 1, NULL, NULL, NULL, 9223372036854775807, 0),
	(64, 19456000, 1, 16, 499, 'USD', 19456000, 9223372036854775807, 0),
	(64, 19456064, 2, 16, NULL, NULL, 19456000, 9223372036854775807, 0),
	(64, 18432000, 1, 1, 999, 'USD', 18432000, 9223372036854775807, 0),
	(64, 19456128, 1, 16, 500, 'USD', 19456000, 9223372036854775807, 0),
	(64, 20480000, 1, 16, 999, 'USD', 20480000, 9223372036854775807, 0);
INSERT INTO gemledger.lots VALUES
	(64, 10240000, 1, 1, 1, 4800, 4800, 3996, 'USD', 10240000, 9223372036854775807),
	(64, 12288000, 1, 1, 1, 1200, 0, 999, 'USD', 12288000, 9223372036854775807),
	(13312001, 15360001, 1, 1, 1, 1200, 1200, 999, 'USD', 15360001, 9223372036854775807),
	(13312001, 16384001, 1, 1, 16, 1200, 1200, 999, 'USD', 16384001, 9223372036854775807),
	(17408001, 28672001, 1, 1, 16, 1200, 1200, 999, 'USD', 28672001, 9223372036854775807),
	(29696001, 29696001, 1, 1, 1, 100, 100, 999, 'USD', 29696001, 1769817600000),
	(29696001, 31744001, 1, 1, 1, 100, 100, 999, 'USD', 31744001, 1769817600000),
	(29696001, 32768001, 1, 1, 1, 100, 100, 999, 'USD', 32768001, 1769817600000),
	(64, 7168000, 1, 1, 1, 1200, 0, 999, 'USD', 7168000, 9223372036854775807),
	(64, 8192000, 1, 1, 2, 1200, 0, 999, 'USD', 8192000, 9223372036854775807),
	(64, 19456000, 2, 1, 16, 300, 300, 499, 'USD', 19456000, 9223372036854775807),
	(64, 19456128, 1, 1, 16, 500, 500, 500, 'USD', 19456000, 9223372036854775807),
	(64, 9216000, 1, 1, 16, 3600, 2200, 2997, 'USD', 9216000, 9223372036854775807),
	(64, 19456064, 2, 2, 16, 30, 20, NULL, NULL, 19456000, 9223372036854775807),
	(64, 11264000, 2, 1, 1, 300, 0, 499, 'USD', 11264000, 9223372036854775807),
	(64, 11264064, 2, 2, 1, 30, 0, NULL, NULL, 11264000, 9223372036854775807),
	(64, 11264128, 1, 1, 1, 500, 0, 500, 'USD', 11264000, 9223372036854775807),
	(13312001, 13312001, 4, 1, 1, 100, 0, 999, 'USD', 13312001, 9223372036854775807),
	(13312001, 13312065, 4, 2, 1, 20, 0, NULL, NULL, 13312001, 9223372036854775807),
	(13312001, 14336001, 3, 1, 1, 900, 0, 999, 'USD', 14336001, 9223372036854775807),
	(64, 18432000, 1, 1, 1, 1200, 800, 999, 'USD', 18432000, 9223372036854775807),
	(17408001, 17408001, 1, 1, 1, 1200, 0, 999, 'USD', 17408001, 9223372036854775807),
	(64, 20480000, 1, 1, 16, 1200, 0, 999, 'USD', 20480000, 9223372036854775807),
	(21504001, 22528001, 1, 1, 1, 1200, 1200, 999, 'USD', 22528001, 9223372036854775807),
	(21504001, 23552001, 1, 1, 1, 1200, 600, 999, 'USD', 23552001, 9223372036854775807),
	(21504001, 24576001, 1, 1, 1, 4800, 2400, 3996, 'USD', 24576001, 9223372036854775807),
	(21504001, 25600001, 1, 1, 1, 4800, 2400, 3996, 'USD', 25600001, 9223372036854775807),
	(21504001, 26624001, 1, 1, 1, 1200, 1080, 999, 'USD', 26624001, 9223372036854775807),
	(29696001, 30720001, 1, 1, 1, 100, 0, 999, 'USD', 30720001, 1769817600000),
	(64, 33792000, 1, 1, 1, 1200, 0, 999, 'USD', 33792000, 9223372036854775807),
	(21504001, 21504001, 1, 1, 1, 1200, 1010, 999, 'USD', 21504001, 9223372036854775807);
INSERT INTO gemledger.merged_customers VALUES
	(64, 18432000);
INSERT INTO gemledger.merges VALUES
	(64, 33792192, 18432000);
INSERT INTO gemledger.migrations VALUES
	('0001-create-ledger', 1795765762328);
INSERT INTO gemledger.open_holds VALUES
	(21504001, 33792129, 1767312033000, 1767225633000, 1, 21504001, 40);
INSERT INTO gemledger.orders VALUES
	(64, 128, 'ORDER-2', 1, 'gems', 1, '{}', NULL, 1, NULL, 1767225600000, 1767225600000, 1767312000000, 1767312000000, 0),
	(64, 64, 'ORDER-1', 1, 'gems', 1, '{}', NULL, 2, 33792000, 1767225600000, 1767225633000, 1767312000000, 9223372036854775807, 0);
INSERT INTO gemledger.owned_items VALUES
	(21504001, 'sword', 1),
	(18432000, 'sword', 0),
	(64, 'sword', 3),
	(21504001, 'extra_life', 2);
INSERT INTO gemledger.project VALUES
	(1, 1, 1767225600000, false);
INSERT INTO gemledger.purchase_codes VALUES
	('ORDER-1', 64, 64),
	('ORDER-2', 64, 128);
INSERT INTO gemledger.purchases VALUES
	(64, 7168000, 1, 1, 'a1', 7168000, 'gems', 1, 999, 'USD', 1767225600000, 6263208820647755732, NULL, NULL, 1, 7168000, 1200),
	(64, 8192000, 1, 2, 'a2', 8192000, 'gems', 1, 999, 'USD', 1767225600000, 6263208820647755732, NULL, NULL, 1, 8192000, 1200),
	(64, 9216000, 1, 16, 'a3', 9216000, 'gems', 3, 2997, 'USD', 1767225600000, 6263208820647755732, NULL, NULL, 1, 9216000, 3600),
	(64, 10240000, 2, 1, 'g1', 10240000, 'gems', 4, 3996, 'USD', 1767225600000, 6263208820647755732, NULL, NULL, 1, 10240000, 4800),
	(64, 11264000, 1, 1, 'b1', 11264000, 'bundle', 1, 999, 'USD', 1767225600000, -3157581698651154835, NULL, NULL, NULL, NULL, NULL),
	(64, 12288000, 1, 1, 'early', 12288000, 'gems', 1, 999, 'USD', 1767225600000, 6263208820647755732, NULL, NULL, 1, 12288000, 1200),
	(13312001, 13312001, 1, 1, 'r1', 13312001, 'rubies', 1, 999, 'USD', 1767225600000, -536511685879802632, NULL, NULL, NULL, NULL, NULL),
	(13312001, 14336001, 1, 1, 'o1', 14336001, 'ore_pack', 1, 999, 'USD', 1767225600000, -4957033562209726930, NULL, NULL, 3, 14336001, 900),
	(13312001, 15360001, 3, 1, 'm1', 15360001, 'gems', 1, 999, 'USD', 1767225600000, 6263208820647755732, NULL, NULL, 1, 15360001, 1200),
	(13312001, 16384001, 4, 16, 't1', 16384001, 'gems', 1, 999, 'USD', 1767225600000, 6263208820647755732, NULL, NULL, 1, 16384001, 1200),
	(17408001, 17408001, 1, 1, 'd1', 17408001, 'gems', 1, 999, 'USD', 1767225600000, 6263208820647755732, NULL, NULL, 1, 17408001, 1200),
	(18432000, 18432000, 1, 1, 'e1', 18432000, 'gems', 1, 999, 'USD', 1767225600000, 6263208820647755732, NULL, NULL, 1, 18432000, 1200),
	(18432000, 19456000, 1, 16, 'e2', 19456000, 'bundle', 1, 999, 'USD', 1767225600000, -3157581698651154835, NULL, NULL, NULL, NULL, NULL),
	(18432000, 20480000, 1, 16, 'x2', 20480000, 'gems', 1, 999, 'USD', 1767225600000, 6263208820647755732, NULL, NULL, 1, 20480000, 1200),
	(21504001, 21504001, 1, 1, 'f1', 21504001, 'gems', 1, 999, 'USD', 1767225600000, 6263208820647755732, NULL, NULL, 1, 21504001, 1200),
	(21504001, 22528001, 1, 1, 'f2', 22528001, 'gems', 1, 999, 'USD', 1767225600000, 6263208820647755732, NULL, NULL, 1, 22528001, 1200),
	(21504001, 23552001, 1, 1, 'f3', 23552001, 'gems', 1, 999, 'USD', 1767225600000, 6263208820647755732, NULL, NULL, 1, 23552001, 1200),
	(21504001, 24576001, 2, 1, 'f4', 24576001, 'gems', 4, 3996, 'USD', 1767225600000, 6263208820647755732, NULL, NULL, 1, 24576001, 4800),
	(21504001, 25600001, 2, 1, 'f5', 25600001, 'gems', 4, 3996, 'USD', 1767225600000, 6263208820647755732, NULL, NULL, 1, 25600001, 4800),
	(21504001, 26624001, 1, 1, 'f6', 26624001, 'gems', 1, 999, 'USD', 1767225600000, 6263208820647755732, NULL, NULL, 1, 26624001, 1200),
	(21504001, 27648001, 1, 1, 'f7', 27648001, 'chest', 1, 999, 'USD', 1767225600000, 8402658243684308385, NULL, NULL, NULL, NULL, NULL),
	(17408001, 28672001, 1, 16, 'd2', 28672001, 'gems', 1, 999, 'USD', 1767225600000, 6263208820647755732, NULL, NULL, 1, 28672001, 1200),
	(29696001, 29696001, 1, 1, 's1', 29696001, 'club', 1, 999, 'USD', 1767225600000, 2832649712812774108, NULL, 1769817600000, 1, 29696001, 100),
	(29696001, 30720001, 1, 1, 's2', 30720001, 'club', 1, 999, 'USD', 1767225600000, 2832649712812774108, 's1', 1769817600000, 1, 30720001, 100),
	(29696001, 31744001, 1, 1, 's3', 31744001, 'club', 1, 999, 'USD', 1767225600000, 2832649712812774108, 's1', 1769817600000, 1, 31744001, 100),
	(29696001, 32768001, 2, 1, 'token/GPA.1', 32768001, 'club', 1, 999, 'USD', 1767225600000, 2832649712812774108, NULL, 1769817600000, 1, 32768001, 100),
	(64, 33792000, 1, 1, 'paid', 33792000, 'gems', 1, 999, 'USD', 1767225600000, 6263208820647755732, NULL, NULL, 1, 33792000, 1200);
INSERT INTO gemledger.refund_evidence VALUES
	('early', 1, 1, 1, 1767225700000, 1767225700000, 1, 0),
	('kept-full', 1, 1, 1, 1767225700000, 1767225700000, 1, 0),
	('kept-units', 1, 2, 1, 1767225700000, 1767225700000, 4, 1),
	('kept-reversed', 1, 1, 1, 1767225700000, 1767225700000, 1, 0),
	('kept-reversed', 1, 1, 2, 1767225700000, 1767225800000, 1, 0),
	('kept-test', 16, 1, 1, 1767225700000, 1767225700000, 1, 0),
	('a1', 1, 1, 2, 1767225700000, 1767225800000, 1, 0),
	('g1', 1, 2, 3, 0, 1767225800000, 1, 0),
	('b1', 1, 1, 3, 0, 1767225650000, 1, 0);
INSERT INTO gemledger.refund_parts VALUES
	(64, 35840000, 1, 11264000, 1, 11264000, 300),
	(64, 35840000, 2, 11264064, 1, 11264064, 20),
	(64, 35840000, 3, 11264064, 1, 19456064, 10),
	(64, 35840000, 4, 11264128, 1, 11264128, 500),
	(13312001, 36864001, 1, 13312001, 1, 13312001, 10),
	(13312001, 36864001, 2, 13312065, 1, 13312065, 20),
	(13312001, 36864001, 3, 13312001, 2, 0, 90),
	(13312001, 37888001, 1, 14336001, 1, 14336001, 50),
	(13312001, 37888001, 2, 14336001, 3, 0, 850),
	(21504001, 41984001, 1, 21504001, 1, 21504001, 1110),
	(21504001, 41984001, 2, 21504001, 1, 22528001, 90),
	(21504001, 43008001, 1, 21504001, 1, 22528001, -90),
	(21504001, 43008001, 2, 21504001, 1, 21504001, -1110);
INSERT INTO gemledger.refunds VALUES
	(64, 12288000, 12288064, 1, 1767225700000, 1767225700000, 1, 1, 0, NULL, 1, 0, 12288000, 1, 12288000, 1200),
	(64, 8192000, 34816000, 1, 1767225700000, 1767225700000, 1, 1, 0, NULL, 1, 0, 8192000, 1, 9216000, 1200),
	(64, 11264000, 35840000, 1, 1767225700000, 1767225700000, 1, 1, 0, NULL, 1, 0, NULL, NULL, NULL, NULL),
	(13312001, 13312001, 36864001, 1, 1767225700000, 1767225700000, 1, 1, 0, NULL, 1, 0, NULL, NULL, NULL, NULL),
	(13312001, 14336001, 37888001, 1, 1767225700000, 1767225700000, 1, 1, 1, NULL, 1, 0, NULL, NULL, NULL, NULL),
	(18432000, 18432000, 38912000, 1, 1767225700000, 1767225700000, 33333, 100000, 0, NULL, 2, 33333, 18432000, 1, 18432000, 400),
	(17408001, 17408001, 39936001, 1, 1767225700000, 1767225700000, 1, 1, 0, NULL, 1, 0, 17408001, 1, 17408001, 1200),
	(18432000, 20480000, 40960000, 1, 1767225700000, 1767225700000, 1, 1, 0, NULL, 1, 0, 20480000, 1, 20480000, 1200),
	(21504001, 21504001, 41984001, 1, 1767225700000, 1767225700000, 1, 1, 0, NULL, 1, 0, NULL, NULL, NULL, NULL),
	(21504001, 21504001, 43008001, 2, 1767225700000, 1767225800000, 0, 1, 0, NULL, 1, 0, NULL, NULL, NULL, NULL),
	(21504001, 22528001, 44032001, 1, 1767225700000, 1767225700000, 1, 1, 0, NULL, 1, 0, 22528001, 1, 22528001, 1200),
	(21504001, 22528001, 45056001, 3, 0, 1767225800000, 0, 1, 0, NULL, 1, 0, 22528001, 1, 22528001, -1200),
	(21504001, 23552001, 46080001, 1, 1767225700000, 1767225700000, 1, 4, 0, NULL, 2, 25000, 23552001, 1, 23552001, 300),
	(21504001, 23552001, 47104001, 1, 1767225750000, 1767225750000, 1, 2, 0, NULL, 2, 50000, 23552001, 1, 23552001, 300),
	(21504001, 24576001, 48128001, 1, 1767225700000, 1767225700000, 1, 4, 0, NULL, 4, 1, 24576001, 1, 24576001, 1200),
	(21504001, 24576001, 49152001, 1, 1767225720000, 1767225720000, 1, 2, 0, NULL, 4, 1, 24576001, 1, 24576001, 1200),
	(21504001, 25600001, 50176001, 1, 1767225700000, 1767225700000, 1, 2, 0, NULL, 3, 2, 25600001, 1, 25600001, 2400),
	(21504001, 26624001, 51200001, 1, 1767225700000, 1767225700000, 1, 1, 0, NULL, 1, 0, 26624001, 1, 26624001, 1200),
	(21504001, 26624001, 52224001, 2, 1767225700000, 1767225800000, 0, 1, 0, NULL, 1, 0, 26624001, 1, 26624001, -1200),
	(21504001, 26624001, 53248001, 1, 1767225900000, 1767225900000, 1, 10, 0, NULL, 2, 10000, 26624001, 1, 26624001, 120),
	(21504001, 27648001, 54272001, 1, 1767225700000, 1767225700000, 1, 2, 0, NULL, 2, 50000, NULL, NULL, NULL, NULL),
	(29696001, 30720001, 55296001, 1, 1767225700000, 1767225700000, 1, 1, 0, NULL, 1, 0, 30720001, 1, 30720001, 100),
	(64, 33792000, 56320000, 1, 1767225700000, 1767225700000, 1, 1, 0, NULL, 1, 0, 33792000, 1, 33792000, 1200);
INSERT INTO gemledger.store_transactions VALUES
	('kept-full', 1, 1, 0, 0),
	('kept-units', 1, 2, 0, 0),
	('kept-reversed', 1, 1, 0, 0),
	('a1', 1, 1, 64, 7168000),
	('a2', 2, 1, 64, 8192000),
	('a3', 16, 1, 64, 9216000),
	('g1', 1, 2, 64, 10240000),
	('b1', 1, 1, 64, 11264000),
	('early', 1, 1, 64, 12288000),
	('r1', 1, 1, 13312001, 13312001),
	('o1', 1, 1, 13312001, 14336001),
	('m1', 1, 3, 13312001, 15360001),
	('t1', 16, 4, 13312001, 16384001),
	('d1', 1, 1, 17408001, 17408001),
	('e1', 1, 1, 18432000, 18432000),
	('e2', 16, 1, 18432000, 19456000),
	('x2', 16, 1, 18432000, 20480000),
	('f1', 1, 1, 21504001, 21504001),
	('f2', 1, 1, 21504001, 22528001),
	('f3', 1, 1, 21504001, 23552001),
	('f4', 1, 2, 21504001, 24576001),
	('f5', 1, 2, 21504001, 25600001),
	('f6', 1, 1, 21504001, 26624001),
	('f7', 1, 1, 21504001, 27648001),
	('d2', 16, 1, 17408001, 28672001),
	('s1', 1, 1, 29696001, 29696001),
	('s2', 1, 1, 29696001, 30720001),
	('s3', 1, 1, 29696001, 31744001),
	('token/GPA.1', 1, 2, 29696001, 32768001),
	('paid', 1, 1, 64, 33792000);
INSERT INTO gemledger.transactions VALUES
	(64, 7168000, 1, true, 1767225607000, 680943186773450520, NULL),
	(64, 8192000, 1, true, 1767225608000, -821579767985009060, NULL),
	(64, 9216000, 1, true, 1767225609000, -8212659158992203072, NULL),
	(64, 10240000, 1, true, 1767225610000, 1303921207156179687, NULL),
	(64, 11264000, 1, true, 1767225611000, 6770858833734561468, NULL),
	(64, 12288000, 1, true, 1767225612000, -5026087735306298917, NULL),
	(64, 12288064, 5, true, 1767225612000, 5813873744841382913, NULL),
	(13312001, 13312001, 1, true, 1767225613000, -3787539780782667129, NULL),
	(13312001, 14336001, 1, true, 1767225614000, -8048135560989194213, NULL),
	(13312001, 15360001, 1, true, 1767225615000, 2322197737205509859, NULL),
	(13312001, 16384001, 1, true, 1767225616000, -7455940414553456288, NULL),
	(17408001, 17408001, 1, true, 1767225617000, 3111532020786373975, NULL),
	(18432000, 18432000, 1, true, 1767225618000, 1792072306245265242, NULL),
	(18432000, 19456000, 1, true, 1767225619000, 640862017207728632, NULL),
	(18432000, 20480000, 1, true, 1767225620000, 662246040943725940, NULL),
	(21504001, 21504001, 1, true, 1767225621000, -1973619015577286809, NULL),
	(21504001, 22528001, 1, true, 1767225622000, 7879344861040166108, NULL),
	(21504001, 23552001, 1, true, 1767225623000, -7835287586545390748, NULL),
	(21504001, 24576001, 1, true, 1767225624000, -4525840522615828, NULL),
	(21504001, 25600001, 1, true, 1767225625000, -8970854892876757980, NULL),
	(21504001, 26624001, 1, true, 1767225626000, -5479026923315041693, NULL),
	(21504001, 27648001, 1, false, 1767225627000, -4006928356644830586, NULL),
	(17408001, 28672001, 1, true, 1767225628000, 3007796602631021995, NULL),
	(29696001, 29696001, 1, true, 1767225629000, -6800362725060708006, NULL),
	(29696001, 30720001, 1, true, 1767225630000, -1282532348085238910, NULL),
	(29696001, 31744001, 1, true, 1767225631000, -2333625388613462238, NULL),
	(29696001, 32768001, 1, true, 1767225632000, -3146740505948818615, NULL),
	(64, 33792000, 1, true, 1767225633000, 5557209243111150406, NULL),
	(64, 33792064, 3, true, 1767225633000, 2959844216890109050, 7305017131951990156),
	(13312001, 33792001, 3, true, 1767225633000, -1089661024283036057, NULL),
	(64, 33792128, 3, true, 1767225633000, -556187288277407608, 3780350666755942902),
	(21504001, 33792065, 3, true, 1767225633000, 3415155272619131577, NULL),
	(21504001, 33792129, 16, false, 1767225633000, 7680046021082160773, NULL),
	(13312001, 33792193, 2, true, 1767225633000, -5760613664262160689, NULL),
	(64, 33792192, 10, true, 1767225633000, 7983430616090835812, NULL),
	(64, 34816000, 5, true, 1767225634000, -3700564173933335284, NULL),
	(64, 35840000, 5, true, 1767225635000, -5384985294877962459, NULL),
	(13312001, 36864001, 5, true, 1767225636000, 7114935929873745337, NULL),
	(13312001, 37888001, 5, true, 1767225637000, -3788154006197746777, NULL),
	(64, 38912000, 5, true, 1767225638000, 7861462450566610775, NULL),
	(17408001, 39936001, 5, true, 1767225639000, -7654886172483257032, NULL),
	(64, 40960000, 5, true, 1767225640000, -3214345302704323205, NULL),
	(21504001, 41984001, 5, true, 1767225641000, 4857495462324793485, NULL),
	(21504001, 43008001, 6, true, 1767225642000, 5535103127815049279, NULL),
	(21504001, 44032001, 5, true, 1767225643000, -4704122611816915104, NULL),
	(21504001, 45056001, 6, true, 1767225644000, 315712127372231493, NULL),
	(21504001, 46080001, 5, true, 1767225645000, 7627560212535965699, NULL),
	(21504001, 47104001, 5, true, 1767225646000, 3359253359747884807, NULL),
	(21504001, 48128001, 5, true, 1767225647000, -8836261163705442777, NULL),
	(21504001, 49152001, 5, true, 1767225648000, -8681945100764562287, NULL),
	(21504001, 50176001, 5, true, 1767225649000, -8460270177898911393, NULL),
	(21504001, 51200001, 5, true, 1767225650000, 4923530169060653263, NULL),
	(21504001, 52224001, 6, true, 1767225651000, 3280252755111434335, NULL),
	(21504001, 53248001, 5, true, 1767225652000, 7709781403981462547, NULL),
	(21504001, 54272001, 5, false, 1767225653000, -3931264065423410630, NULL),
	(29696001, 55296001, 5, true, 1767225654000, 5612092841005338408, NULL),
	(64, 56320000, 5, true, 1767225655000, 9052672750633891313, NULL),
	(17408001, 59392001, 20, false, 1767225658000, 7320443220108263233, NULL),
	(21504001, 3745792001, 3, true, 1767229258000, 8773826807726481536, NULL);
ALTER TABLE ONLY gemledger.account_tokens
    ADD CONSTRAINT account_tokens_pkey PRIMARY KEY (high, low);
ALTER TABLE ONLY gemledger.accounts
    ADD CONSTRAINT accounts_pkey PRIMARY KEY (customer, currency);
ALTER TABLE ONLY gemledger.added_ids
    ADD CONSTRAINT added_ids_pkey PRIMARY KEY (customer, id);
ALTER TABLE ONLY gemledger.aliases
    ADD CONSTRAINT aliases_pkey PRIMARY KEY (id);
ALTER TABLE ONLY gemledger.allocations
    ADD CONSTRAINT allocations_pkey PRIMARY KEY (customer, entry, "position");
ALTER TABLE ONLY gemledger.catalog
    ADD CONSTRAINT catalog_pkey PRIMARY KEY (kind, code);
ALTER TABLE ONLY gemledger.catalog_versions
    ADD CONSTRAINT catalog_versions_pkey PRIMARY KEY (version);
ALTER TABLE ONLY gemledger.checkpoints
    ADD CONSTRAINT checkpoints_pkey PRIMARY KEY (customer, currency, version);
ALTER TABLE ONLY gemledger.commit_tokens
    ADD CONSTRAINT commit_tokens_pkey PRIMARY KEY (customer, writer);
ALTER TABLE ONLY gemledger.copy_progress
    ADD CONSTRAINT copy_progress_pkey PRIMARY KEY (one);
ALTER TABLE ONLY gemledger.counters
    ADD CONSTRAINT counters_pkey PRIMARY KEY (customer, kind, subject);
ALTER TABLE ONLY gemledger.customers
    ADD CONSTRAINT customers_pkey PRIMARY KEY (customer);
ALTER TABLE ONLY gemledger.documents
    ADD CONSTRAINT documents_pkey PRIMARY KEY (name);
ALTER TABLE ONLY gemledger.entitlement_holders
    ADD CONSTRAINT entitlement_holders_pkey PRIMARY KEY (purchase);
ALTER TABLE ONLY gemledger.entitlements
    ADD CONSTRAINT entitlements_pkey PRIMARY KEY (customer, purchase);
ALTER TABLE ONLY gemledger.entries
    ADD CONSTRAINT entries_pkey PRIMARY KEY (customer, number);
ALTER TABLE ONLY gemledger.environments
    ADD CONSTRAINT environments_kind_session_key UNIQUE (kind, session);
ALTER TABLE ONLY gemledger.environments
    ADD CONSTRAINT environments_pkey PRIMARY KEY (environment);
ALTER TABLE ONLY gemledger.frozen_products
    ADD CONSTRAINT frozen_products_pkey PRIMARY KEY (frozen_product);
ALTER TABLE ONLY gemledger.item_entries
    ADD CONSTRAINT item_entries_pkey PRIMARY KEY (customer, transaction_number, item);
ALTER TABLE ONLY gemledger.journal_events
    ADD CONSTRAINT journal_events_pkey PRIMARY KEY (customer, transaction_number, "position");
ALTER TABLE ONLY gemledger.keys
    ADD CONSTRAINT keys_pkey PRIMARY KEY (customer, key);
ALTER TABLE ONLY gemledger.lanes
    ADD CONSTRAINT lanes_pkey PRIMARY KEY (customer);
ALTER TABLE ONLY gemledger.lot_attributes
    ADD CONSTRAINT lot_attributes_pkey PRIMARY KEY (customer, lot);
ALTER TABLE ONLY gemledger.lots
    ADD CONSTRAINT lots_pkey PRIMARY KEY (customer, lot);
ALTER TABLE ONLY gemledger.merged_customers
    ADD CONSTRAINT merged_customers_pkey PRIMARY KEY (customer, merged);
ALTER TABLE ONLY gemledger.merges
    ADD CONSTRAINT merges_pkey PRIMARY KEY (customer, transaction_number);
ALTER TABLE ONLY gemledger.migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (name);
ALTER TABLE ONLY gemledger.notes
    ADD CONSTRAINT notes_pkey PRIMARY KEY (customer, transaction_number);
ALTER TABLE ONLY gemledger.open_holds
    ADD CONSTRAINT open_holds_pkey PRIMARY KEY (customer, hold);
ALTER TABLE ONLY gemledger.orders
    ADD CONSTRAINT orders_pkey PRIMARY KEY (customer, number);
ALTER TABLE ONLY gemledger.owned_items
    ADD CONSTRAINT owned_items_pkey PRIMARY KEY (customer, item);
ALTER TABLE ONLY gemledger.project
    ADD CONSTRAINT project_pkey PRIMARY KEY (project);
ALTER TABLE ONLY gemledger.purchase_codes
    ADD CONSTRAINT purchase_codes_pkey PRIMARY KEY (code);
ALTER TABLE ONLY gemledger.purchases
    ADD CONSTRAINT purchases_pkey PRIMARY KEY (customer, purchase);
ALTER TABLE ONLY gemledger.refund_evidence
    ADD CONSTRAINT refund_evidence_pkey PRIMARY KEY (store_transaction, environment, store, kind, revoked_at);
ALTER TABLE ONLY gemledger.refund_parts
    ADD CONSTRAINT refund_parts_pkey PRIMARY KEY (customer, transaction_number, "position");
ALTER TABLE ONLY gemledger.refunds
    ADD CONSTRAINT refunds_pkey PRIMARY KEY (customer, purchase, transaction_number);
ALTER TABLE ONLY gemledger.store_transactions
    ADD CONSTRAINT store_transactions_pkey PRIMARY KEY (store_transaction, environment, store);
ALTER TABLE ONLY gemledger.transactions
    ADD CONSTRAINT transactions_pkey PRIMARY KEY (customer, number);
CREATE INDEX journal_events_of_targets ON gemledger.journal_events USING btree (customer, target, transaction_number, "position") WHERE (target <> 0);
CREATE INDEX lot_attributes_by_lot ON gemledger.lot_attributes USING btree (lot);
CREATE INDEX lots_open ON gemledger.lots USING btree (customer, currency, ((source = 1)), expires_at, lot) WHERE (remaining > 0);
CREATE INDEX lots_pooled ON gemledger.lots USING btree (customer, currency, source, environment) WHERE ((purchase IS NULL) AND (expires_at = '9223372036854775807'::bigint));
CREATE INDEX orders_due ON gemledger.orders USING btree (state, due_at, number) WHERE (state <> 2);
CREATE UNIQUE INDEX orders_of_key ON gemledger.orders USING btree (customer, key) WHERE (key IS NOT NULL);
CREATE INDEX orders_of_purchase ON gemledger.orders USING btree (purchase) WHERE (purchase IS NOT NULL);
CREATE INDEX purchases_by_number ON gemledger.purchases USING btree (purchase);
CREATE INDEX transactions_of_lanes ON gemledger.transactions USING btree (((number & (63)::bigint)), number);
CREATE INDEX transactions_without_entries ON gemledger.transactions USING btree (customer, number) WHERE (NOT has_entries);
CREATE TRIGGER allocations_refuse_change BEFORE DELETE OR UPDATE ON gemledger.allocations FOR EACH ROW EXECUTE FUNCTION gemledger.refuse_change();
CREATE TRIGGER allocations_refuse_truncation BEFORE TRUNCATE ON gemledger.allocations FOR EACH STATEMENT EXECUTE FUNCTION gemledger.refuse_change();
CREATE TRIGGER catalog_versions_refuse_change BEFORE DELETE OR UPDATE ON gemledger.catalog_versions FOR EACH ROW EXECUTE FUNCTION gemledger.refuse_change();
CREATE TRIGGER catalog_versions_refuse_truncation BEFORE TRUNCATE ON gemledger.catalog_versions FOR EACH STATEMENT EXECUTE FUNCTION gemledger.refuse_change();
CREATE TRIGGER entries_refuse_change BEFORE DELETE OR UPDATE ON gemledger.entries FOR EACH ROW EXECUTE FUNCTION gemledger.refuse_change();
CREATE TRIGGER entries_refuse_truncation BEFORE TRUNCATE ON gemledger.entries FOR EACH STATEMENT EXECUTE FUNCTION gemledger.refuse_change();
CREATE TRIGGER frozen_products_refuse_change BEFORE DELETE OR UPDATE ON gemledger.frozen_products FOR EACH ROW EXECUTE FUNCTION gemledger.refuse_change();
CREATE TRIGGER frozen_products_refuse_truncation BEFORE TRUNCATE ON gemledger.frozen_products FOR EACH STATEMENT EXECUTE FUNCTION gemledger.refuse_change();
CREATE TRIGGER item_entries_refuse_change BEFORE DELETE OR UPDATE ON gemledger.item_entries FOR EACH ROW EXECUTE FUNCTION gemledger.refuse_change();
CREATE TRIGGER item_entries_refuse_truncation BEFORE TRUNCATE ON gemledger.item_entries FOR EACH STATEMENT EXECUTE FUNCTION gemledger.refuse_change();
CREATE TRIGGER journal_events_refuse_change BEFORE DELETE OR UPDATE ON gemledger.journal_events FOR EACH ROW EXECUTE FUNCTION gemledger.refuse_change();
CREATE TRIGGER journal_events_refuse_truncation BEFORE TRUNCATE ON gemledger.journal_events FOR EACH STATEMENT EXECUTE FUNCTION gemledger.refuse_change();
CREATE TRIGGER keys_refuse_change BEFORE UPDATE ON gemledger.keys FOR EACH ROW EXECUTE FUNCTION gemledger.refuse_change();
CREATE TRIGGER keys_refuse_truncation BEFORE TRUNCATE ON gemledger.keys FOR EACH STATEMENT EXECUTE FUNCTION gemledger.refuse_change();
CREATE TRIGGER lot_attributes_refuse_change BEFORE DELETE OR UPDATE ON gemledger.lot_attributes FOR EACH ROW EXECUTE FUNCTION gemledger.refuse_change();
CREATE TRIGGER lot_attributes_refuse_truncation BEFORE TRUNCATE ON gemledger.lot_attributes FOR EACH STATEMENT EXECUTE FUNCTION gemledger.refuse_change();
CREATE TRIGGER merges_refuse_change BEFORE DELETE OR UPDATE ON gemledger.merges FOR EACH ROW EXECUTE FUNCTION gemledger.refuse_change();
CREATE TRIGGER merges_refuse_truncation BEFORE TRUNCATE ON gemledger.merges FOR EACH STATEMENT EXECUTE FUNCTION gemledger.refuse_change();
CREATE TRIGGER purchases_refuse_change BEFORE DELETE OR UPDATE ON gemledger.purchases FOR EACH ROW EXECUTE FUNCTION gemledger.refuse_change();
CREATE TRIGGER purchases_refuse_truncation BEFORE TRUNCATE ON gemledger.purchases FOR EACH STATEMENT EXECUTE FUNCTION gemledger.refuse_change();
CREATE TRIGGER refund_parts_refuse_change BEFORE DELETE OR UPDATE ON gemledger.refund_parts FOR EACH ROW EXECUTE FUNCTION gemledger.refuse_change();
CREATE TRIGGER refund_parts_refuse_truncation BEFORE TRUNCATE ON gemledger.refund_parts FOR EACH STATEMENT EXECUTE FUNCTION gemledger.refuse_change();
CREATE TRIGGER refunds_refuse_change BEFORE DELETE OR UPDATE ON gemledger.refunds FOR EACH ROW EXECUTE FUNCTION gemledger.refuse_change();
CREATE TRIGGER refunds_refuse_truncation BEFORE TRUNCATE ON gemledger.refunds FOR EACH STATEMENT EXECUTE FUNCTION gemledger.refuse_change();
CREATE TRIGGER transactions_refuse_change BEFORE DELETE OR UPDATE ON gemledger.transactions FOR EACH ROW EXECUTE FUNCTION gemledger.refuse_change();
CREATE TRIGGER transactions_refuse_truncation BEFORE TRUNCATE ON gemledger.transactions FOR EACH STATEMENT EXECUTE FUNCTION gemledger.refuse_change();
