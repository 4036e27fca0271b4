/* python.exe: calls Py_Main of the Python library in its folder. */
#include <windows.h>

typedef int (*py_main)(int, wchar_t **);

int wmain(int count, wchar_t **arguments) {
    HMODULE library = LoadLibraryW(L"python312.dll");
    if (!library) return 99;
    py_main run = (py_main)(void *)GetProcAddress(library, "Py_Main");
    return run(count, arguments);
}
