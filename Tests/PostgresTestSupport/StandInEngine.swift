#if PostgreSQL
internal import Foundation
internal import GemLedgerPostgres

// A stand-in for a distributed engine's extension: a single server that keeps the engine's own lists of tables and
// shards. It refuses the statements that the engine refuses when a schema is spread. Rows stay where they are, so that
// the statements of a distributed ledger run for once. ``AskedStatement`` tells which of these an engine would refuse.

extension PostgresServer {
  /// Gives the database the parts of an engine that a ledger asks for; needs a private server.
  package func standInForAnEngine(in database: String) throws {
    let name = URLComponents(string: database)?.path.dropFirst() ?? ""
    guard let superuser = superuserURL(database: String(name)) else {
      throw Failure(description: "the shared server belongs to others too; make your own")
    }
    try execute(Self.engine, on: superuser)
  }

  private static let engine = """
    SET allow_system_table_mods = on;
    INSERT INTO pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
      VALUES (90001, 'citus', 10, 11, false, '0');
    CREATE TABLE pg_catalog.pg_dist_partition (
      logicalrelid regclass PRIMARY KEY, partkey text, shards integer NOT NULL);
    CREATE TABLE pg_catalog.pg_dist_shard (
      logicalrelid regclass, shardid bigserial, shardminvalue text, shardmaxvalue text);
    -- The engine keeps its shards in memory; a spreading asks for thousands.
    CREATE INDEX pg_dist_shard_of_table ON pg_catalog.pg_dist_shard (logicalrelid);
    CREATE TABLE pg_catalog.stand_in_emptied (emptied regclass);
    CREATE TABLE pg_catalog.pg_dist_node (
      nodename text, noderole text DEFAULT 'primary', isactive bool DEFAULT true, shouldhaveshards bool DEFAULT true,
      groupid integer DEFAULT 1, nodeport integer DEFAULT 5432, hasmetadata bool DEFAULT true,
      metadatasynced bool DEFAULT true);
    -- All shards are on the coordinator, until a test gives them to another node.
    CREATE TABLE pg_catalog.pg_dist_placement (
      shardid bigint PRIMARY KEY, shardstate integer DEFAULT 1, groupid integer DEFAULT 0);
    CREATE TABLE pg_catalog.pg_dist_local_group (groupid integer);
    INSERT INTO pg_dist_local_group VALUES (0);
    GRANT SELECT ON pg_catalog.pg_dist_node, pg_catalog.pg_dist_local_group TO PUBLIC;
    GRANT ALL ON pg_catalog.pg_dist_placement TO PUBLIC;
    GRANT ALL ON pg_catalog.pg_dist_partition, pg_catalog.pg_dist_shard, pg_catalog.stand_in_emptied TO PUBLIC;
    GRANT ALL ON SEQUENCE pg_catalog.pg_dist_shard_shardid_seq TO PUBLIC;

    CREATE FUNCTION pg_catalog.create_reference_table(wanted regclass) RETURNS void LANGUAGE sql AS $$
      INSERT INTO pg_dist_partition VALUES (wanted, NULL, 1);
    $$;

    CREATE FUNCTION pg_catalog.create_distributed_table(
      wanted regclass, distribution_column text, shard_count integer DEFAULT NULL,
      colocate_with text DEFAULT 'default'
    ) RETURNS void LANGUAGE plpgsql AS $$
    DECLARE
      other pg_dist_partition;
      count bigint := shard_count;
    BEGIN
      IF EXISTS (SELECT FROM pg_trigger WHERE tgrelid = wanted AND NOT tgisinternal)
        AND current_setting('citus.enable_unsafe_triggers', true) IS DISTINCT FROM 'on' THEN
        RAISE EXCEPTION 'cannot distribute relation "%" because it has triggers', wanted;
      END IF;
      IF EXISTS (
        SELECT FROM pg_index i WHERE i.indrelid = wanted AND i.indisunique AND NOT EXISTS (
          SELECT FROM pg_attribute a WHERE a.attrelid = wanted AND a.attname = distribution_column
            AND a.attnum = ANY (i.indkey))
      ) THEN
        RAISE EXCEPTION 'cannot create constraint on "%": it does not hold the distribution column', wanted;
      END IF;
      IF colocate_with <> 'none' THEN
        SELECT * INTO STRICT other FROM pg_dist_partition WHERE logicalrelid = colocate_with::regclass;
        count := other.shards;
        IF (SELECT atttypid FROM pg_attribute WHERE attrelid = wanted AND attname = distribution_column)
          <> (SELECT atttypid FROM pg_attribute WHERE attrelid = other.logicalrelid AND attname = other.partkey) THEN
          RAISE EXCEPTION 'cannot colocate tables % and %', wanted, colocate_with;
        END IF;
      END IF;
      INSERT INTO pg_dist_partition VALUES (wanted, distribution_column, count);
      WITH made AS (
        INSERT INTO pg_dist_shard (logicalrelid, shardminvalue, shardmaxvalue)
          SELECT wanted, -2147483648 + n * (4294967296 / count),
            CASE WHEN n = count - 1 THEN 2147483647 ELSE -2147483649 + (n + 1) * (4294967296 / count) END
          FROM generate_series(0, count - 1) n
          RETURNING shardid)
      INSERT INTO pg_dist_placement (shardid) SELECT shardid FROM made;
    END $$;

    -- Rows stay, since the shards' are the same ones; that it was asked is written down.
    CREATE FUNCTION pg_catalog.truncate_local_data_after_distributing_table(wanted regclass) RETURNS void
    LANGUAGE plpgsql AS $$
    BEGIN
      IF NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = wanted) THEN
        RAISE EXCEPTION 'supplied parameter is not a distributed relation';
      END IF;
      -- 32: before or after a statement that empties the table.
      IF EXISTS (
        SELECT FROM pg_trigger
        WHERE tgrelid = wanted AND NOT tgisinternal AND tgenabled <> 'D' AND tgtype & 32 <> 0
      ) THEN
        RAISE EXCEPTION '% is append-only', wanted;
      END IF;
      PERFORM set_config('citus.enable_ddl_propagation', 'on', true);
      INSERT INTO stand_in_emptied VALUES (wanted);
    END $$;

    -- A function cannot end a prepared transaction here; that it was asked is written down, for the test to end it.
    CREATE TABLE pg_catalog.stand_in_recoveries (asked_by name);
    CREATE FUNCTION pg_catalog.recover_prepared_transactions() RETURNS integer LANGUAGE sql SECURITY DEFINER AS $$
      INSERT INTO stand_in_recoveries VALUES (session_user) RETURNING 0;
    $$;
    REVOKE ALL ON FUNCTION pg_catalog.recover_prepared_transactions() FROM PUBLIC;

    CREATE FUNCTION pg_catalog.get_shard_id_for_distribution_column(wanted regclass, value bigint) RETURNS bigint
    LANGUAGE sql AS $$
      SELECT shardid FROM pg_dist_shard WHERE logicalrelid = wanted
        AND hashint8(value) BETWEEN shardminvalue::integer AND shardmaxvalue::integer;
    $$;
    """

  /// Returns the bodies of the functions in a database that write groups, by name.
  package func bodiesOfWriteFunctions(in database: String) throws -> [String: String] {
    let rows = try execute(
      "SELECT proname || ' ' || prosrc FROM pg_proc WHERE proname LIKE 'write\\_group\\_%'", on: database)
    return Dictionary(
      rows.map { row in
        let name = row.prefix { $0 != " " }
        return (String(name), String(row.dropFirst(name.count + 1)))
      }, uniquingKeysWith: { first, _ in first })
  }

  /// Returns the statements since the last call, where the server logs its statements.
  package func takeStatements() throws -> [AskedStatement] {
    let log = try own().appendingPathComponent("server.log")
    let text = try String(contentsOf: log, encoding: .utf8)
    defer { if let file = FileHandle(forWritingAtPath: log.path) { try? file.truncate(atOffset: 0) } }
    // A line that goes on begins with a tab; parameters follow their statement.
    let lines = text.replacingOccurrences(of: "\n\t", with: " ").split(separator: "\n")
    var statements: [AskedStatement] = []
    for line in lines {
      if let range = line.range(of: "LOG:  execute ") ?? line.range(of: "LOG:  statement: ") {
        let rest = line[range.upperBound...]
        let isNamed = rest.hasPrefix("gem_") || rest.hasPrefix("<unnamed>")
        let sql = isNamed ? rest.drop { $0 != " " } : rest
        statements.append(
          AskedStatement(
            sql.split(separator: " ").joined(separator: " "), session: String(line.prefix(while: \.isNumber))))
      } else if let range = line.range(of: "DETAIL:  parameters: "), !statements.isEmpty {
        statements[statements.count - 1].parameters = String(line[range.upperBound...])
      }
    }
    return statements
  }
}

/// A statement that a server was asked, and the view of a distributed engine on it.
package struct AskedStatement: Sendable {
  package let sql: String
  package fileprivate(set) var parameters: String
  /// The server's process, where its log begins lines with it.
  package let session: String

  package init(_ sql: String, _ parameters: String = "", session: String = "") {
    self.sql = sql
    self.parameters = parameters
    self.session = session
  }

  /// Tables with an owner column that a statement should name; each node has all rows of the others.
  private static let spread = SchemaTable.all.filter { $0.distributionColumn != nil }

  private func has(_ pattern: String) -> Bool { sql.range(of: pattern, options: .regularExpression) != nil }

  var tables: [SchemaTable] {
    Self.spread.filter { has("(FROM|JOIN|INTO|UPDATE) \($0.name)( |$|\\))") }
  }

  /// The names of its tables of the ledger, in the order of their mention.
  package var tableNames: [String] {
    let words = sql.matches(of: /(?:FROM|JOIN|INTO|UPDATE) ([a-z_]+)/).map { String($0.output.1) }
    return words.filter { word in SchemaTable.all.contains { $0.name == word } }
  }

  private var namesOneLane: Bool { has("\\blane = \\$") && !has("\\blane = ANY") }

  package var isOfLedger: Bool { !tables.isEmpty && !sql.hasPrefix("CREATE ") && !sql.hasPrefix("LOCK ") }

  /// Why an engine refuses it, or takes long over it; nil where it does neither.
  package var refusal: String? {
    let isInsert = sql.hasPrefix("INSERT ")
    if has("FOR (UPDATE|SHARE|KEY SHARE)"), !namesOneLane { return "takes hold of rows in many shards" }
    if has("unnest\\("), !isInsert, !namesOneLane { return "joins a list with a table" }
    if has("LATERAL"), !namesOneLane { return "joins row by row over many shards" }
    if sql.hasPrefix("UPDATE "), has(" FROM ") { return "changes rows from a list" }
    if has("^WITH .*(INSERT|UPDATE|DELETE) ") { return "changes rows in a common table expression" }
    return nil
  }

  /// Whether it goes to every shard, since it does not name the lanes or the values of its rows.
  package var isOfAllShards: Bool {
    tables.contains { table in
      let column = table.distributionColumn ?? ""
      return sql.hasPrefix("INSERT ")
        ? !has("^INSERT INTO \(table.name)( AS t)? \\([^)]*\\b\(column)\\b") : !has("\\b\(column) = (ANY\\()?\\$")
    }
  }
}
#endif
