#if PostgreSQL
  internal import CPostgreSQL

  /// The client library of PostgreSQL that this process runs with, which may be newer than the one it was built with.
  enum ClientLibrary {
    /// Its version as one number: 150020 is 15.20.
    static var version: Int { Int(PQlibVersion()) }
  }
#endif
