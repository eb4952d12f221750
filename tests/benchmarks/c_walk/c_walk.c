/* The floor: a walk over a dict history that reads what every pairing rule must read
 * (role, content, each block's type and id) and decides nothing.
 *
 * Look-ups are hashed, with interned keys. What a look-up could free (a key with an `__eq__`
 * of its own can run any code) is held by a reference; the rest is borrowed. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <string.h>

static PyObject *ROLE, *CONTENT, *TYPE, *ID, *TOOL_USE_ID, *TOOL_USE, *TOOL_RESULT;

static const struct {
    PyObject **name;
    const char *text;
} NAMES[] = {
    {&ROLE, "role"},         {&CONTENT, "content"},         {&TYPE, "type"},
    {&ID, "id"},             {&TOOL_USE_ID, "tool_use_id"}, {&TOOL_USE, "tool_use"},
    {&TOOL_RESULT, "tool_result"},
};

/* Strings out of json.loads are not interned: first the pointer, then the bytes.
 * `name` is ASCII, so a string of more than one byte a character is another one. */
static inline int
is_name(PyObject *string, PyObject *name)
{
    if (string == name) {
        return 1;
    }
    Py_ssize_t length = PyUnicode_GET_LENGTH(name);
    return PyUnicode_GET_LENGTH(string) == length
        && PyUnicode_KIND(string) == PyUnicode_1BYTE_KIND
        && memcmp(PyUnicode_1BYTE_DATA(string), PyUnicode_1BYTE_DATA(name), (size_t)length) == 0;
}

/* A borrowed entry, or NULL with an exception set. */
static inline PyObject *
entry(PyObject *dict, PyObject *key)
{
    PyObject *value = PyDict_GetItemWithError(dict, key);
    if (value == NULL && !PyErr_Occurred()) {
        PyErr_Format(PyExc_TypeError, "%R is missing", key);
    }
    return value;
}

/* A borrowed entry that is a string, or NULL with an exception set. */
static inline PyObject *
string_entry(PyObject *dict, PyObject *key)
{
    PyObject *value = entry(dict, key);
    if (value != NULL && !PyUnicode_Check(value)) {
        PyErr_Format(PyExc_TypeError, "%R is a %s, not a string", key, Py_TYPE(value)->tp_name);
        return NULL;
    }
    return value;
}

static inline int
walk_block(PyObject *block, Py_ssize_t *ids)
{
    if (!PyDict_Check(block)) {
        PyErr_Format(PyExc_TypeError, "a block is a %s, not a dict", Py_TYPE(block)->tp_name);
        return -1;
    }
    PyObject *type = string_entry(block, TYPE);
    if (type == NULL) {
        return -1;
    }
    PyObject *key = is_name(type, TOOL_USE) ? ID : is_name(type, TOOL_RESULT) ? TOOL_USE_ID : NULL;
    if (key == NULL) {
        return 0;
    }
    *ids += 1;
    return string_entry(block, key) == NULL ? -1 : 0;
}

static inline int
walk_content(PyObject *content, Py_ssize_t *ids)
{
    if (PyUnicode_Check(content)) {
        return 0;
    }
    if (!PyList_Check(content)) {
        PyErr_Format(PyExc_TypeError, "content is a %s", Py_TYPE(content)->tp_name);
        return -1;
    }
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(content); i++) {
        PyObject *block = Py_NewRef(PyList_GET_ITEM(content, i));
        int failed = walk_block(block, ids);
        Py_DECREF(block);
        if (failed) {
            return -1;
        }
    }
    return 0;
}

static inline int
walk_message(PyObject *message, Py_ssize_t *ids)
{
    if (!PyDict_Check(message)) {
        PyErr_Format(PyExc_TypeError, "a message is a %s, not a dict", Py_TYPE(message)->tp_name);
        return -1;
    }
    if (string_entry(message, ROLE) == NULL) {
        return -1;
    }
    PyObject *content = entry(message, CONTENT);
    if (content == NULL) {
        return -1;
    }
    Py_INCREF(content);
    int failed = walk_content(content, ids);
    Py_DECREF(content);
    return failed;
}

static PyObject *
walk(PyObject *Py_UNUSED(module), PyObject *messages)
{
    if (!PyList_Check(messages)) {
        PyErr_Format(PyExc_TypeError, "messages is a %s, not a list", Py_TYPE(messages)->tp_name);
        return NULL;
    }
    Py_ssize_t ids = 0;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(messages); i++) {
        PyObject *message = Py_NewRef(PyList_GET_ITEM(messages, i));
        int failed = walk_message(message, &ids);
        Py_DECREF(message);
        if (failed) {
            return NULL;
        }
    }
    return PyLong_FromSsize_t(ids);
}

static PyMethodDef METHODS[] = {
    {"walk", walk, METH_O, "walk(messages) -> int\n\nCount the ids of calls and results."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT, .m_name = "_c_walk", .m_size = -1, .m_methods = METHODS,
};

PyMODINIT_FUNC
PyInit__c_walk(void)
{
    for (size_t i = 0; i < Py_ARRAY_LENGTH(NAMES); i++) {
        *NAMES[i].name = PyUnicode_InternFromString(NAMES[i].text);
        if (*NAMES[i].name == NULL) {
            return NULL;
        }
    }
    return PyModule_Create(&MODULE);
}
