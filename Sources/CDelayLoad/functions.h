#ifndef GEM_DELAYED_FUNCTIONS_H
#define GEM_DELAYED_FUNCTIONS_H
// The functions of each library that the package calls. The linker reports a function that is missing here.

#define GEM_LIBPQ_FUNCTIONS(F) F(PQbackendPID) F(PQclear) F(PQconnectdb) F(PQconnectdbParams) F(PQconninfoFree) \
  F(PQconninfoParse) F(PQconsumeInput) F(PQcopyResult) F(PQenterPipelineMode) F(PQerrorMessage) F(PQexec) F(PQfinish) \
  F(PQflush) F(PQfname) F(PQfreemem) F(PQftype) F(PQgetResult) F(PQgetisnull) F(PQgetlength) F(PQgetvalue) F(PQisBusy) \
  F(PQnfields) F(PQnotifies) F(PQntuples) F(PQpipelineSync) F(PQresultErrorField) F(PQresultStatus) F(PQsendPrepare) \
  F(PQsendQueryParams) F(PQsendQueryPrepared) F(PQsetNoticeProcessor) F(PQsetNoticeReceiver) F(PQsetnonblocking) \
  F(PQsetvalue) F(PQsocket) F(PQstatus) F(PQtransactionStatus)

#define GEM_LIBCURL_FUNCTIONS(F) F(curl_easy_cleanup) F(curl_easy_getinfo) F(curl_easy_init) F(curl_easy_perform) \
  F(curl_easy_setopt) F(curl_easy_strerror) F(curl_global_init) F(curl_slist_append) F(curl_slist_free_all)

#define GEM_LIBMICROHTTPD_FUNCTIONS(F) F(MHD_add_connection) F(MHD_add_response_header) \
  F(MHD_create_response_from_buffer) F(MHD_create_response_from_callback) F(MHD_destroy_response) \
  F(MHD_get_connection_info) F(MHD_get_connection_values) F(MHD_get_daemon_info) F(MHD_get_version) \
  F(MHD_queue_response) F(MHD_resume_connection) F(MHD_start_daemon) F(MHD_stop_daemon) F(MHD_suspend_connection)

#define GEM_LIBCRYPTO_FUNCTIONS(F) F(ASN1_OBJECT_free) F(ASN1_OCTET_STRING_free) F(ASN1_OCTET_STRING_new) \
  F(ASN1_OCTET_STRING_set) F(ASN1_TIME_diff) F(ASN1_TIME_free) F(ASN1_TIME_set) F(BIO_free) F(BIO_new) \
  F(BIO_new_mem_buf) F(BIO_read) F(BIO_s_mem) F(BN_bin2bn) F(BN_bn2binpad) F(BN_free) F(BN_to_ASN1_INTEGER) \
  F(CRYPTO_memcmp) F(ECDSA_SIG_free) F(ECDSA_SIG_get0_r) F(ECDSA_SIG_get0_s) F(ERR_clear_error) \
  F(ERR_peek_last_error) F(EVP_DigestFinal_ex) F(EVP_DigestInit_ex2) F(EVP_DigestSign) F(EVP_DigestSignInit) \
  F(EVP_DigestUpdate) F(EVP_DigestVerify) F(EVP_DigestVerifyInit) F(EVP_DigestVerifyInit_ex) F(EVP_MD_CTX_free) \
  F(EVP_MD_CTX_new) F(EVP_MD_fetch) F(EVP_MD_free) F(EVP_PKEY_CTX_free) F(EVP_PKEY_CTX_new_from_name) \
  F(EVP_PKEY_CTX_set_group_name) F(EVP_PKEY_CTX_set_rsa_keygen_bits) F(EVP_PKEY_eq) F(EVP_PKEY_free) \
  F(EVP_PKEY_generate) F(EVP_PKEY_get_base_id) F(EVP_PKEY_get_bits) F(EVP_PKEY_get_group_name) \
  F(EVP_PKEY_keygen_init) F(EVP_default_properties_is_fips_enabled) F(EVP_sha1) F(EVP_sha256) F(EVP_sha384) F(HMAC) \
  F(OBJ_sn2nid) F(OBJ_txt2obj) F(OPENSSL_sk_free) F(OPENSSL_sk_new_null) F(OPENSSL_sk_num) F(OPENSSL_sk_push) \
  F(OPENSSL_sk_value) F(OPENSSL_version_major) F(OPENSSL_version_minor) F(OSSL_LIB_CTX_free) F(OSSL_LIB_CTX_new) \
  F(OSSL_PROVIDER_add_builtin) F(OSSL_PROVIDER_available) F(OSSL_PROVIDER_get0_provider_ctx) F(OSSL_PROVIDER_load) \
  F(OSSL_PROVIDER_query_operation) F(PEM_read_bio_PrivateKey) F(PEM_read_bio_X509) F(PEM_write_bio_PKCS8PrivateKey) \
  F(PEM_write_bio_X509) F(RAND_bytes) F(X509V3_EXT_conf_nid) F(X509V3_set_ctx) F(X509_EXTENSION_create_by_OBJ) \
  F(X509_EXTENSION_free) F(X509_NAME_add_entry_by_txt) F(X509_NAME_cmp) F(X509_STORE_CTX_free) \
  F(X509_STORE_CTX_get0_chain) F(X509_STORE_CTX_get_error) F(X509_STORE_CTX_init) F(X509_STORE_CTX_new) \
  F(X509_STORE_CTX_set_time) F(X509_STORE_add_cert) F(X509_STORE_free) F(X509_STORE_new) F(X509_STORE_set_flags) \
  F(X509_add_ext) F(X509_cmp) F(X509_digest) F(X509_free) F(X509_get0_notAfter) F(X509_get0_notBefore) \
  F(X509_get0_pubkey) F(X509_get_X509_PUBKEY) F(X509_get_ext_by_OBJ) F(X509_get_pubkey) F(X509_get_serialNumber) \
  F(X509_get_subject_name) F(X509_new) F(X509_new_ex) F(X509_set1_notAfter) F(X509_set1_notBefore) \
  F(X509_set_issuer_name) F(X509_set_pubkey) F(X509_set_version) F(X509_sign) F(X509_verify) F(X509_verify_cert) \
  F(d2i_ECDSA_SIG) F(d2i_PUBKEY) F(d2i_X509) F(i2d_PUBKEY) F(i2d_X509) F(i2d_X509_PUBKEY)
#endif
