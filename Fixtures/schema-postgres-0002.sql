CREATE TABLE evidence (
  store_transaction text COLLATE "C" NOT NULL,
  environment bigint NOT NULL,
  store smallint NOT NULL,
  kind smallint NOT NULL,
  revoked_at bigint NOT NULL,
  variant bigint NOT NULL,
  first_signed_at bigint NOT NULL,
  signed_at bigint NOT NULL,
  extent_kind smallint NOT NULL,
  extent bigint NOT NULL,
  content text NOT NULL,
  original text COLLATE "C",
  reason smallint,
  due_at bigint,
  holder bigint,
  subject text COLLATE "C",
  PRIMARY KEY (store_transaction, environment, store, kind, revoked_at, variant)
);

CREATE INDEX evidence_due ON evidence (reason, due_at, variant) WHERE reason IS NOT NULL;

CREATE INDEX evidence_holders ON evidence (holder) WHERE holder IS NOT NULL;

CREATE INDEX evidence_subjects ON evidence (subject) WHERE subject IS NOT NULL;

INSERT INTO evidence (store_transaction, environment, store, kind, revoked_at, variant, first_signed_at,
  signed_at, extent_kind, extent, content)
SELECT store_transaction, environment, store, kind, revoked_at, 0, signed_at, signed_at, extent_kind, extent, ''
FROM refund_evidence;

INSERT INTO evidence (store_transaction, environment, store, kind, revoked_at, variant, first_signed_at,
  signed_at, extent_kind, extent, content)
SELECT store_transaction, environment, store, 7, 0, 0, purchased_at, purchased_at, 1, 0, '' FROM purchases;

DROP TABLE refund_evidence;

UPDATE lanes SET layout = layout + 1;
