/* A case is a small program: CASE(name, modes, exit, text) { … }. It runs in the modes named (p plain, a address and undefined,
 * t thread), must end with this exit status, and must say `text` on stderr ("" if it must say nothing). */
#ifndef CASE_H
#define CASE_H
#include <stdio.h>
#include <string.h>
#include "simt.h"

struct Case {
  const char *name, *modes;
  int exit;
  const char *text;
  void (*body)(void);
  Case *next;
  static Case *&first() { static Case *list; return list; }
  Case(const char *name, const char *modes, int exit, const char *text, void (*body)(void))
      : name(name), modes(modes), exit(exit), text(text), body(body), next(first()) { first() = this; }
};
#define CASE(name, modes, exit, text)                                                                         \
  static void name##_case(void);                                                                              \
  static Case name##_entry(#name, modes, exit, text, name##_case);                                            \
  static void name##_case(void)
#define CHECK(e) ((e) ? (void)0 : (fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #e), _exit(1)))
#define OK(call) CHECK((call) == cudaSuccess)
#define SYNC() OK(cudaGetLastError()), OK(cudaDeviceSynchronize())

#include <unistd.h>

template <class T> static T *device_array(size_t n) {
  T *p = nullptr;
  OK(cudaMalloc(&p, n * sizeof(T)));
  OK(cudaMemset(p, 0, n * sizeof(T)));
  return p;
}
template <class T> static T first_of(const T *p) {
  T v;
  OK(cudaMemcpy(&v, p, sizeof v, cudaMemcpyDeviceToHost));
  return v;
}

int main(int argc, char **argv) {
  for (Case *c = Case::first(); c; c = c->next)
    if (argc < 2) printf("%s\t%s\t%d\t%s\n", c->name, c->modes, c->exit, c->text);
    else if (!strcmp(argv[1], c->name)) c->body();
  return 0;
}
#endif
