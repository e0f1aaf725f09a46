#if Receipts
import SystemCrypto
import XCTest

@testable import GemLedgerSeal

/// The hash tree is the one of RFC 6962.
final class MerkleTreeTests: XCTestCase {
  private let hashes = RecordHashes()

  /// The leaves and roots that logs of Certificate Transparency test with.
  func testRootsArePublishedOnes() throws {
    let leaves = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
    let roots = [
      "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
      "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
      "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
      "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
      "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
      "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
      "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
      "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
    ]
    var tree = MerkleTree()
    XCTAssertEqual(
      tree.root(hashes).hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    for (leaf, root) in zip(leaves, roots) {
      let bytes = try XCTUnwrap(Hex.bytes(Array(leaf.utf8)))
      tree.add(bytes.withUnsafeBytes(hashes.leaf), hashes)
      XCTAssertEqual(tree.root(hashes).hex, root)
    }
  }

  func testEveryPathLeadsToItsRootAndToNoOther() throws {
    let leaves = (0..<70).map { hashes.leaf("record \($0)") }
    for count in 1...70 {
      for index in 0..<count {
        var tree = MerkleTree()
        for (position, leaf) in leaves[..<count].enumerated() {
          tree.add(leaf, isFollowed: position == index || position == count / 2, hashes)
        }
        let root = tree.root(hashes)
        let paths = tree.paths(hashes)
        XCTAssertEqual(paths.count, index == count / 2 ? 1 : 2)
        let (place, path) = try XCTUnwrap(paths.first { $0.index == Int64(index) })
        func found(_ leaf: SHA256Digest, _ index: Int64, _ path: [SHA256Digest], _ count: Int) -> SHA256Digest? {
          MerkleTree.root(of: leaf, at: index, path: path, count: Int64(count), hashes)
        }
        XCTAssertEqual(found(leaves[index], place, path, count), root, "leaf \(index) of \(count)")
        XCTAssertNotEqual(found(hashes.leaf("another"), place, path, count), root)
        for other in -1...Int64(count) where other != place {
          XCTAssertNotEqual(found(leaves[index], other, path, count), root, "leaf \(index) of \(count) at \(other)")
        }
        XCTAssertNil(found(leaves[index], place, path + [root], count))
        if !path.isEmpty { XCTAssertNil(found(leaves[index], place, Array(path.dropLast()), count)) }
      }
    }
  }
}
#endif
