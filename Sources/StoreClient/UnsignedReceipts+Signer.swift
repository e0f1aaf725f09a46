public import StoreBackend

extension UnsignedReceipts: ReceiptSigner {}
