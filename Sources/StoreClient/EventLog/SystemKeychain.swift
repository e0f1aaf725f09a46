#if canImport(Security)
internal import CoreFoundation
public import GemLedger
internal import Security

/// The keychain of Apple's platforms: a generic password for each value, readable after the first unlock and only on
/// this device.
///
/// Background work can read it, and backups do not copy it to another device: a purchase queue with two owners would be
/// posted twice. It is compiled only on Apple's platforms, and was not run on a device.
public struct SystemKeychain: KeychainValues {
  private let service: String
  private let accessGroup: String?

  /// Creates a keychain of the app, or of the apps that share an access group.
  ///
  /// - Parameters:
  ///   - service: Distinguishes these values from the app's others, for example its bundle id.
  ///   - accessGroup: The access group of the entitlements; nil for the app's group.
  public init(service: String, accessGroup: String? = nil) {
    self.service = service
    self.accessGroup = accessGroup
  }

  /// Returns the value with the name; nil if there is none.
  public func read(_ name: String) throws(LedgerError) -> [UInt8]? {
    let query = query(name)
    Self.set(kSecReturnData, kCFBooleanTrue, in: query)
    Self.set(kSecMatchLimit, kSecMatchLimitOne, in: query)
    var result: CFTypeRef?
    let status = SecItemCopyMatching(query, &result)
    if status == errSecItemNotFound { return nil }
    guard status == errSecSuccess, let result, CFGetTypeID(result) == CFDataGetTypeID() else {
      throw failure(name, "read", status)
    }
    return Self.bytes(of: unsafeDowncast(result, to: CFData.self))
  }

  /// Writes a new value or replaces it; it is durable when this returns.
  public func write(_ value: [UInt8], to name: String) throws(LedgerError) {
    let change = Self.dictionary()
    Self.set(kSecValueData, CFDataCreate(nil, value, value.count), in: change)
    var status = SecItemUpdate(query(name), change)
    if status == errSecItemNotFound {
      let item = query(name)
      Self.set(kSecValueData, CFDataCreate(nil, value, value.count), in: item)
      Self.set(kSecAttrAccessible, kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly, in: item)
      status = SecItemAdd(item, nil)
    }
    guard status == errSecSuccess else { throw failure(name, "written", status) }
  }

  /// Removes the value; a missing value is no error.
  public func remove(_ name: String) throws(LedgerError) {
    let status = SecItemDelete(query(name))
    guard status == errSecSuccess || status == errSecItemNotFound else { throw failure(name, "removed", status) }
  }

  /// Returns all names with this prefix, in any order.
  public func names(from prefix: String) throws(LedgerError) -> [String] {
    let query = query(nil)
    Self.set(kSecReturnAttributes, kCFBooleanTrue, in: query)
    Self.set(kSecMatchLimit, kSecMatchLimitAll, in: query)
    var result: CFTypeRef?
    let status = SecItemCopyMatching(query, &result)
    if status == errSecItemNotFound { return [] }
    guard status == errSecSuccess, let result, CFGetTypeID(result) == CFArrayGetTypeID() else {
      throw failure(prefix, "listed", status)
    }
    let items = unsafeDowncast(result, to: CFArray.self)
    var names: [String] = []
    for index in 0..<CFArrayGetCount(items) {
      guard let item = CFArrayGetValueAtIndex(items, index) else { continue }
      let attributes = Unmanaged<CFDictionary>.fromOpaque(item).takeUnretainedValue()
      guard let account = CFDictionaryGetValue(attributes, Unmanaged.passUnretained(kSecAttrAccount).toOpaque()) else {
        continue
      }
      names.append(Self.text(of: Unmanaged<CFString>.fromOpaque(account).takeUnretainedValue()))
    }
    return names.filter { $0.utf8.starts(with: prefix.utf8) }
  }

  private func query(_ name: String?) -> CFMutableDictionary {
    let query = Self.dictionary()
    Self.set(kSecClass, kSecClassGenericPassword, in: query)
    Self.set(kSecAttrService, Self.string(service), in: query)
    if let name { Self.set(kSecAttrAccount, Self.string(name), in: query) }
    if let accessGroup { Self.set(kSecAttrAccessGroup, Self.string(accessGroup), in: query) }
    // Also on macOS, the data protection keychain of iOS, which can restrict when a value may be read.
    Self.set(kSecUseDataProtectionKeychain, kCFBooleanTrue, in: query)
    return query
  }

  private func failure(_ name: String, _ verb: String, _ status: OSStatus) -> LedgerError {
    LedgerError(
      .inputOutput, "\"\(name)\" in the keychain cannot be \(verb): status \(status).",
      details: [.text("keychain", name), .integer("status", Int64(status))])
  }
}

// Core Foundation's types: bridging from Swift's types would require Foundation.
extension SystemKeychain {
  private static func dictionary() -> CFMutableDictionary {
    var (keys, values) = (kCFTypeDictionaryKeyCallBacks, kCFTypeDictionaryValueCallBacks)
    return CFDictionaryCreateMutable(nil, 0, &keys, &values)
  }

  private static func set(_ key: CFString, _ value: AnyObject?, in dictionary: CFMutableDictionary) {
    guard let value else { return }
    withExtendedLifetime((key, value)) {
      CFDictionarySetValue(
        dictionary, Unmanaged.passUnretained(key).toOpaque(), Unmanaged.passUnretained(value).toOpaque())
    }
  }

  private static func string(_ text: String) -> CFString? {
    let bytes = Array(text.utf8)
    return CFStringCreateWithBytes(nil, bytes, bytes.count, CFStringBuiltInEncodings.UTF8.rawValue, false)
  }

  private static func text(of string: CFString) -> String {
    let range = CFRange(location: 0, length: CFStringGetLength(string))
    var count = 0
    CFStringGetBytes(string, range, CFStringBuiltInEncodings.UTF8.rawValue, 0, false, nil, 0, &count)
    var bytes = [UInt8](repeating: 0, count: count)
    CFStringGetBytes(string, range, CFStringBuiltInEncodings.UTF8.rawValue, 0, false, &bytes, count, nil)
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func bytes(of data: CFData) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: CFDataGetLength(data))
    CFDataGetBytes(data, CFRange(location: 0, length: bytes.count), &bytes)
    return bytes
  }
}
#endif
