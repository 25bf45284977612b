"""libcurl's result codes → kinds of failure, each with a sentence for reports."""

from sitemap_action.fetch.base import Failure

_NO_DETAIL = ""  # libcurl's message counts milliseconds and bytes there, which differ from run to run
_DETAIL = ": {}"

# By number, which is part of libcurl's stable interface; pycurl has no name for some.
_SENTENCES = {
    1: (Failure.BROKEN, "the answer is not HTTP/1 or later", _NO_DETAIL),  # CURLE_UNSUPPORTED_PROTOCOL
    3: (Failure.REFUSED, "the URL cannot be requested", _DETAIL),  # CURLE_URL_MALFORMAT
    5: (Failure.DNS, "the proxy's name cannot be resolved", _NO_DETAIL),  # CURLE_COULDNT_RESOLVE_PROXY
    6: (Failure.DNS, "the host name cannot be resolved", _NO_DETAIL),  # CURLE_COULDNT_RESOLVE_HOST
    7: (Failure.CONNECT, "no connection", _NO_DETAIL),  # CURLE_COULDNT_CONNECT
    8: (Failure.BROKEN, "the answer is broken HTTP", _DETAIL),  # CURLE_WEIRD_SERVER_REPLY
    16: (Failure.BROKEN, "the answer is broken HTTP/2", _DETAIL),  # CURLE_HTTP2
    18: (Failure.BROKEN, "the connection was closed before the body was complete", _NO_DETAIL),  # CURLE_PARTIAL_FILE
    28: (Failure.TIMEOUT, "no complete answer in time", _NO_DETAIL),  # CURLE_OPERATION_TIMEDOUT
    35: (Failure.TLS, "no TLS connection", _DETAIL),  # CURLE_SSL_CONNECT_ERROR
    52: (Failure.BROKEN, "the connection was closed without an answer", _NO_DETAIL),  # CURLE_GOT_NOTHING
    58: (Failure.TLS, "no TLS connection", _DETAIL),  # CURLE_SSL_CERTPROBLEM
    59: (Failure.TLS, "no TLS connection", _DETAIL),  # CURLE_SSL_CIPHER
    60: (Failure.TLS, "the certificate is not trusted", _DETAIL),  # CURLE_PEER_FAILED_VERIFICATION
    61: (Failure.BROKEN, "the compressed body is broken", _NO_DETAIL),  # CURLE_BAD_CONTENT_ENCODING
    77: (Failure.TLS, "the bundle of trusted certificates cannot be read", _DETAIL),  # CURLE_SSL_CACERT_BADFILE
    97: (Failure.CONNECT, "no connection through the proxy", _DETAIL),  # CURLE_PROXY
}
_OTHER = (Failure.BROKEN, "the connection broke", _DETAIL)  # CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_HTTP2_STREAM, …
_PHASES = {"Resolving": "the host name was not resolved in time", "Connection": "no connection in time"}
FILE_SIZE = 63  # CURLE_FILESIZE_EXCEEDED
BAD_CODING = 61  # CURLE_BAD_CONTENT_ENCODING


def describe(code: int, detail: str) -> tuple[Failure, str]:
    """Libcurl's message follows the sentence as its detail; it holds no header that was sent."""
    failure, sentence, template = _SENTENCES.get(code, _OTHER)
    if failure is Failure.TIMEOUT:
        return failure, _PHASES.get(detail.partition(" ")[0], sentence)
    return failure, sentence + (template.format(detail) if detail else "")
