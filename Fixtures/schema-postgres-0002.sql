LOCK TABLE lanes IN EXCLUSIVE MODE;

CREATE TABLE effects (
  customer bigint NOT NULL,
  transaction_number bigint NOT NULL,
  position bigint NOT NULL,
  kind smallint NOT NULL,
  target bigint NOT NULL,
  currency smallint NOT NULL,
  lot bigint NOT NULL,
  amount bigint NOT NULL CHECK (amount >= 0),
  value bigint NOT NULL,
  count_kind smallint NOT NULL,
  count_subject text COLLATE "C" NOT NULL,
  period bigint NOT NULL,
  created_at bigint NOT NULL,
  held_after bigint NOT NULL CHECK (held_after >= 0),
  PRIMARY KEY (customer, transaction_number, position)
);

CREATE INDEX effects_about ON effects (customer, target, transaction_number, position) WHERE target <> 0;

CREATE TABLE holds (
  customer bigint NOT NULL,
  number bigint NOT NULL,
  deadline bigint NOT NULL,
  PRIMARY KEY (customer, number)
);

CREATE TABLE counts (
  customer bigint NOT NULL,
  kind smallint NOT NULL,
  subject text COLLATE "C" NOT NULL,
  period bigint NOT NULL,
  value bigint NOT NULL,
  PRIMARY KEY (customer, kind, subject)
) WITH (fillfactor = 75);

ALTER TABLE accounts ADD COLUMN next_due bigint NOT NULL DEFAULT 9223372036854775807;

ALTER TABLE lot_terms ADD COLUMN origin bigint NOT NULL DEFAULT 0;

ALTER TABLE customers ADD COLUMN erased bigint NOT NULL DEFAULT 0;

CREATE TRIGGER effects_keep_rows BEFORE UPDATE OR DELETE ON effects
  FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER effects_keep_all BEFORE TRUNCATE ON effects
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

DROP TRIGGER keys_keep_rows ON keys;

DO $$
BEGIN
  EXECUTE format(
    'CREATE TRIGGER keys_keep_rows BEFORE UPDATE ON keys FOR EACH ROW EXECUTE FUNCTION %I.refuse_change()',
    current_schema());
END $$;

DO $$
DECLARE
  owner regrole := (SELECT relowner FROM pg_class WHERE oid = 'entries'::regclass);
  service regrole;
BEGIN
  IF owner <> (SELECT oid FROM pg_roles WHERE rolname = current_user) THEN
    EXECUTE format('ALTER TABLE effects OWNER TO %s', owner);
    EXECUTE format('ALTER TABLE holds OWNER TO %s', owner);
    EXECUTE format('ALTER TABLE counts OWNER TO %s', owner);
  END IF;
  FOR service IN
    SELECT DISTINCT r.grantee FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) r
    WHERE c.oid = 'entries'::regclass AND r.privilege_type = 'INSERT' AND r.grantee NOT IN (0, c.relowner)
  LOOP
    EXECUTE format('GRANT SELECT, INSERT ON effects TO %s', service);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON holds, counts TO %s', service);
    EXECUTE format('GRANT DELETE ON keys TO %s', service);
  END LOOP;
END $$;
