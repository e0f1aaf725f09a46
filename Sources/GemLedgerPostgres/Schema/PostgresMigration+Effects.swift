#if PostgreSQL
  // What transactions do beside their entries: reversals, holds, and what limits and allowances count.

  extension PostgresMigration {
    static let effects = [
      // Groups take hold of a lane first: whoever has one is waited for, and nobody waits for a table meanwhile.
      "LOCK TABLE lanes IN EXCLUSIVE MODE",
      // target: the transaction that was undone, or that began the hold; 0 for none. currency, lot: 0 for none.
      // count_kind, count_subject: which count; 0 and the empty text for none.
      """
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
      )
      """,
      "CREATE INDEX effects_about ON effects (customer, target, transaction_number, position) WHERE target <> 0",
      // A projection: the holds that have not ended. The customer is who has it now; number: what began it.
      """
      CREATE TABLE holds (
        customer bigint NOT NULL,
        number bigint NOT NULL,
        deadline bigint NOT NULL,
        PRIMARY KEY (customer, number)
      )
      """,
      // A projection: each count as the newest effect about it left it.
      """
      CREATE TABLE counts (
        customer bigint NOT NULL,
        kind smallint NOT NULL,
        subject text COLLATE "C" NOT NULL,
        period bigint NOT NULL,
        value bigint NOT NULL,
        PRIMARY KEY (customer, kind, subject)
      ) WITH (fillfactor = 75)
      """,
      // next_due: no hold ends by itself, and nothing is allowed or recharges, before this instant.
      "ALTER TABLE accounts ADD COLUMN next_due bigint NOT NULL DEFAULT 9223372036854775807",
      // origin: the lot of another customer that the currency came out of; 0 for none.
      "ALTER TABLE lot_terms ADD COLUMN origin bigint NOT NULL DEFAULT 0",
      // erased: the transaction that made the ids of the customer be forgotten; 0 for none. Who remembers an id of such
      // a customer asks whose it is now.
      "ALTER TABLE customers ADD COLUMN erased bigint NOT NULL DEFAULT 0",
    ]

    /// Keys lie beside the journal: they never change, and go with who is erased.
    ///
    /// With the schema's name, which the nodes of a cluster are not told otherwise.
    static let erasableKeys = [
      "DROP TRIGGER keys_keep_rows ON keys",
      """
      DO $$
      BEGIN
        EXECUTE format(
          'CREATE TRIGGER keys_keep_rows BEFORE UPDATE ON keys FOR EACH ROW EXECUTE FUNCTION %I.refuse_change()',
          current_schema());
      END $$
      """,
    ]

    /// Whoever may append to the journal may do so here too, and who owns it owns this: roles that a ledger was granted
    /// to go on as before.
    static let rightsOnNewTables = """
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
      END $$
      """

    /// Most holds are of one lot and end with one command, which then need not look their effects up.
    static let whatHoldsHave = [
      // A process of an earlier version would leave what is said here as it was: its groups end here.
      "UPDATE lanes SET layout = layout + 1",
      // begun_at: when the hold began, where it is with whom it began; null where its transaction says.
      // What follows: what it still has, where that is of one lot; null where its effects say.
      """
      ALTER TABLE holds
        ADD COLUMN begun_at bigint, ADD COLUMN currency smallint, ADD COLUMN lot bigint, ADD COLUMN amount bigint,
        ADD CHECK ((currency IS NULL) = (lot IS NULL) AND (lot IS NULL) = (amount IS NULL))
      """,
    ]
  }
#endif
