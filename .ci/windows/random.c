/* bcryptprimitives.dll: the one function that Python and Rust packages need of it; Wine 8 has none. */
#include <windows.h>
#include <ntsecapi.h>

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE bytes, SIZE_T count) {
    RtlGenRandom(bytes, (ULONG)count);
    return TRUE;
}
