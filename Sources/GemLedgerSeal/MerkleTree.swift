#if Receipts
internal import SystemCrypto

/// A hash tree over records as in RFC 6962, which grows at its right end.
///
/// It keeps only the roots of the complete subtrees, one for each set bit of the count.
struct MerkleTree {
  private(set) var count: Int64 = 0
  private var peaks: [SHA256Digest] = []
  /// The leaves to compute paths for.
  private var followed: [FollowedLeaf] = []

  private struct FollowedLeaf {
    let index: Int64
    /// The index of the peak over the leaf.
    var peak: Int
    /// The path from the leaf to that peak.
    var path: [SHA256Digest] = []
  }

  /// - Parameter isFollowed: Whether to compute a path for this leaf.
  mutating func add(_ leaf: SHA256Digest, isFollowed: Bool = false, _ hashes: RecordHashes) {
    peaks.append(leaf)
    if isFollowed { followed.append(FollowedLeaf(index: count, peak: peaks.count - 1)) }
    var complete = count
    count += 1
    while complete & 1 == 1 {
      join(hashes)
      complete >>= 1
    }
  }

  /// Joins the last two peaks.
  private mutating func join(_ hashes: RecordHashes) {
    let (left, right) = (peaks.count - 2, peaks.count - 1)
    for index in followed.indices where followed[index].peak >= left {
      followed[index].path.append(followed[index].peak == left ? peaks[right] : peaks[left])
      followed[index].peak = left
    }
    peaks[left] = hashes.node(peaks[left], peaks[right])
    peaks.removeLast()
  }

  func root(_ hashes: RecordHashes) -> SHA256Digest {
    var tree = self
    return tree.close(hashes)
  }

  /// Returns the index of each followed leaf and the sibling hashes on its path to the root.
  func paths(_ hashes: RecordHashes) -> [(index: Int64, path: [SHA256Digest])] {
    var tree = self
    _ = tree.close(hashes)
    return tree.followed.map { ($0.index, $0.path) }
  }

  private mutating func close(_ hashes: RecordHashes) -> SHA256Digest {
    while peaks.count > 1 { join(hashes) }
    return peaks.first ?? hashes.ofNothing
  }
}

extension MerkleTree {
  /// Returns the root computed from a leaf and its path; nil if no path to that index has this form (RFC 9162,
  /// 2.1.3.2).
  static func root(
    of leaf: SHA256Digest, at index: Int64, path: [SHA256Digest], count: Int64, _ hashes: RecordHashes
  ) -> SHA256Digest? {
    guard index >= 0, index < count else { return nil }
    var (position, last, root) = (index, count - 1, leaf)
    for beside in path {
      guard last > 0 else { return nil }
      if position & 1 == 1 || position == last {
        root = hashes.node(beside, root)
        while position & 1 == 0, position > 0 {
          position >>= 1
          last >>= 1
        }
      } else {
        root = hashes.node(root, beside)
      }
      position >>= 1
      last >>= 1
    }
    return last == 0 ? root : nil
  }
}

/// Hashes leaves and nodes; the first byte distinguishes them (RFC 6962, 2.1).
final class RecordHashes {
  private let hasher = Crypto.Hasher()

  /// The root of a tree without leaves.
  var ofNothing: SHA256Digest { hasher.digest(of: "") }

  func leaf(_ record: UnsafeRawBufferPointer) -> SHA256Digest {
    hash(0) { hasher.add(record) }
  }

  func leaf(_ record: String) -> SHA256Digest { Array(record.utf8).withUnsafeBytes(leaf) }

  func node(_ left: SHA256Digest, _ right: SHA256Digest) -> SHA256Digest {
    hash(1) {
      left.withBytes(hasher.add)
      right.withBytes(hasher.add)
    }
  }

  func digest(of text: String) -> SHA256Digest { hasher.digest(of: text) }

  private func hash(_ kind: UInt8, _ add: () -> Void) -> SHA256Digest {
    hasher.begin()
    withUnsafeBytes(of: kind, hasher.add)
    add()
    return hasher.end()
  }
}
#endif
