#include <stdio.h>
int main(void) { puts("hello from a module of the cluster"); return 0; }
