// An app imports this module and nothing else of the package.

@_exported public import Foundation
@_exported public import StoreClient
