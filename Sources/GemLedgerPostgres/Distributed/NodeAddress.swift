#if PostgreSQL
/// The address of a node, as the distributed engine's own nodes use it.
struct NodeAddress: Hashable, Sendable {
  let host: String
  let port: Int
}

extension NodeAddress {
  /// Returns the address of the node with the shard of a lane.
  ///
  /// - Parameters:
  ///   - key: The lane, as a value of the column `lane`.
  ///   - connection: A connection to any node.
  /// - Returns: Nil if it is the node of the connection, if it cannot route statements, or if the shard is replicated.
  static func holding(
    _ key: Int32, in schema: String, _ connection: PostgresConnection
  ) throws(PostgresFailure) -> Self? {
    let rows = try connection.ask(
      PostgresRequest(
        """
        SELECT n.nodename::text, n.nodeport, p.groupid = l.groupid
        FROM pg_dist_placement p JOIN pg_dist_node n ON n.groupid = p.groupid CROSS JOIN pg_dist_local_group l
        WHERE p.shardid = get_shard_id_for_distribution_column($1::regclass, $2) AND p.shardstate = 1
          AND n.noderole = 'primary' AND n.isactive AND n.hasmetadata AND n.metadatasynced
        """
      ) {
        $0.add("\(schema).\(SchemaTable.placingCustomers)")
        $0.add(lane: key)
      })
    guard rows.count == 1, rows.integer(0, 2) == 0 else { return nil }
    return Self(host: rows.text(0, 0), port: Int(rows.integer(0, 1)))
  }
}
#endif
